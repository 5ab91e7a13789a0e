package commandtable

import "slices"

const (
	PanelTool = "open_*_panel"
	AnyTool   = "*"
)

// What the pilot answers itself.
const (
	LocalHelp  = "help"
	localTools = "tools"
)

// Groups of commands in the help.
const (
	groupPage   = "Pages"
	groupAct    = "Acting by number"
	groupLook   = "Looking"
	groupPoint  = "Points, devices and scripts"
	groupFiles  = "Files and commands"
	groupWeb    = "The web without a page"
	groupWindow = "The window and its tools"
)

// Table returns all commands.
func Table() []Command {
	return slices.Concat(
		pageCommands(),
		actCommands(),
		lookCommands(),
		pointCommands(),
		fileCommands(),
		webCommands(),
		makingCommands(),
		windowCommands(),
	)
}

func pageCommands() []Command {
	return []Command{
		{Tool: "navigate_page", Group: groupPage, Forms: []Form{
			say(
				"(open|go to|goto|visit|navigate to|navigate|browse to|browse|load|take me to) {url:address}",
				"open example.com",
				"Opens an address; \"open demo\" opens the built-in shop",
			).early(),
			also("{url:address}", "example.com"),
			say("back", "back", "Goes back").with("action", "back"),
			also("go? (back|previous) one? page?", "go back one page").with("action", "back"),
			say("forward", "forward", "Goes forward").with("action", "forward"),
			also("go? (forward|forwards) one? page?", "go forward").with("action", "forward"),
			say("reload", "reload", "Reloads the page").with("action", "reload"),
			also("reload|refresh page?", "refresh the page").with("action", "reload"),
		}},
		{Tool: "browser_tabs", Group: groupPage, Forms: []Form{
			say("tabs", "tabs", "Lists the tabs").with("action", "list"),
			also("(list|show|all|open|list all|show all|list open)? browser? tabs", "list tabs").with("action", "list"),
			say("new tab {url:address}", "new tab example.com", "Opens an address in a new tab").with("action", "open"),
			also(
				"(open|make)? in? new tab (with|at|for|to|on)? {url:address}",
				"open a new tab with example.com",
			).with("action", "open"),
			also("open {url:address} (in new tab)", "open example.com in a new tab").with("action", "open"),
			say("new tab", "new tab", "Opens an empty tab").with("action", "open"),
			also("open|make new tab", "open a new tab").with("action", "open"),
			say("tab {tab:tab}", "tab 2", "Switches to a tab").with("action", "select"),
			also("(switch to|go to|select|show|switch|open) tab {tab:tab}", "switch to tab 2").with("action", "select"),
			say("close tab {tab:tab}", "close tab 2", "Closes a tab").with("action", "close"),
			say("close tab", "close tab", "Closes the active tab").with("action", "close"),
		}},
		{Tool: "handle_dialog", Group: groupPage, Forms: []Form{
			say("accept", "accept", "Accepts the open dialog").with("accept", true),
			also("accept dialog", "accept the dialog").with("accept", true),
			say("dismiss", "dismiss", "Dismisses the open dialog").with("accept", false),
			also("(dismiss|cancel|close) dialog", "dismiss the dialog").with("accept", false),
			say("answer {text:text}", `answer "Ada"`, "Enters text in the open dialog and accepts it").with("accept", true),
			also("answer dialog with {text:text}", `answer the dialog with "Ada"`).with("accept", true),
		}},
		{Tool: "downloads", Group: groupPage, Forms: []Form{
			say("downloads", "downloads", "Lists the downloads"),
			also("(list|show) downloads", "list downloads"),
			say(
				"cancel download {id:count}",
				"cancel download 1",
				"Cancels a running download",
			).with("action", "cancel"),
		}},
		{Tool: "save_pdf", Group: groupPage, Forms: []Form{
			say("save pdf", "save pdf", "Saves the page as a PDF"),
			also("(save page|save) (as|to)? pdf", "save the page as pdf"),
			say("save pdf as {name:text}", `save pdf as "basket"`, "Saves the page as a PDF with that name"),
		}},
	}
}

func actCommands() []Command {
	return []Command{
		{Tool: "click_element", Group: groupAct, Forms: []Form{
			say("click|tap {annotationId:mark}", "click 3", "Clicks a numbered element").early(),
			say("double click {annotationId:mark}", "double click 3", "Double-clicks it").with("count", 2),
			also("(double-click|doubleclick) {annotationId:mark}", "double-click on 3").with("count", 2),
			also("click|tap {annotationId:mark} (double|twice|two times)", "click 3 twice").with("count", 2),
			say(
				"triple click {annotationId:mark}",
				"triple click 3",
				"Triple-clicks it, which selects a line",
			).with("count", 3),
			also("click {annotationId:mark} (triple|three times)", "click 3 three times").with("count", 3),
			say(
				"right click {annotationId:mark}",
				"right click 3",
				"Clicks it with the right button",
			).with("button", "right"),
			also("(right-click|rightclick) {annotationId:mark}", "right-click 3").with("button", "right"),
			also(
				"click {annotationId:mark} with? right button?",
				"click 3 with the right button",
			).with("button", "right"),
			say(
				"middle click {annotationId:mark}",
				"middle click 3",
				"Clicks it with the middle button",
			).with("button", "middle"),
			also(
				"click {annotationId:mark} with? middle button?",
				"click 3 with the middle button",
			).with("button", "middle"),
			say(
				"(control click|ctrl click|control-click|ctrl-click) {annotationId:mark}",
				"control click 3",
				"Clicks it with Control held",
			).with("modifiers", []string{"Control"}),
			say(
				"(shift click|shift-click) {annotationId:mark}",
				"shift click 3",
				"Clicks it with Shift held",
			).with("modifiers", []string{"Shift"}),
			also("check|uncheck|tick|untick|toggle {annotationId:mark}", "check 3"),
		}},
		{Tool: "type_text", Group: groupAct, Forms: []Form{
			say(
				"type|enter|write|input|put {text:text} into|in|to|on|at {annotationId:field}",
				"type hello into 4",
				"Replaces the text of a field",
			).early(),
			also("type|enter|write|input|put into|in|to {annotationId:field} {text:text}", "type into 4 hello you"),
			also("fill in|out? {annotationId:field} with|by {text:text}", "fill 4 with hello"),
			say(
				"add {text:text} to {annotationId:field}",
				`add "more" to 4`,
				"Appends to the text of a field",
			).with("clear", false),
			say(
				"type {text:text} slowly into|in {annotationId:field}",
				"type hello slowly into 4",
				"Types key by key, as a person does",
			).with("human", true),
			say("clear|empty {annotationId:field}", "clear 4", "Clears a field").with("text", ""),
		}},
		{Tool: "select_option", Group: groupAct, Forms: []Form{
			say(
				"select|choose|pick (option|value)? {values:values} in|from|of|on|at|for {annotationId:list}",
				"select Germany in 5",
				"Selects an option of a list",
			),
		}},
		{Tool: "press_key", Group: groupAct, Forms: []Form{
			say("press|hit {key:key}", "press Control+a", "Presses a key or a key combination"),
			say("press key {key:anykey}", "press key 3", "Presses a key whose name is a number"),
			also("press|hit {key:anykey} key", "hit the escape key"),
			also("submit|enter", "submit").with("key", "Enter"),
		}},
		{Tool: "scroll_page", Group: groupAct, Forms: []Form{
			say("scroll {direction:direction}", "scroll down", "Scrolls the page"),
			also(
				"scroll page? (to|by)? {direction:direction} (by bit|bit|bit more|more|page|of page)?",
				"scroll to the bottom of the page",
			),
			also("scroll page? (bit|bit more|more)?", "scroll").with("direction", "down"),
			say("scroll {direction:direction} {amount:pixels}", "scroll down 300 px", "Scrolls by that much"),
			also("scroll page? (to|by)? {direction:direction} by {amount:pixels}", "scroll down by 300px"),
			also("scroll by? {amount:pixels}", "scroll 300 px").with("direction", "down"),
			say(
				"scroll {direction:direction} in|inside|within {target:mark}",
				"scroll down in 9",
				"Scrolls inside a box",
			),
			also("scroll in|inside|within {target:mark}", "scroll in 9").with("direction", "down"),
			say(
				"scroll {direction:direction} by? {amount:pixels} in|inside|within {target:mark}",
				"scroll down 300 px in 9",
				"Scrolls inside a box by that much",
			),
		}},
		{Tool: "hover_element", Group: groupAct, Forms: []Form{
			say("hover|point {annotationId:mark}", "hover 6", "Moves the pointer over it"),
			say("scroll to {annotationId:mark}", "scroll to 5", "Scrolls it into view and moves the pointer over it"),
		}},
		{Tool: "drag_element", Group: groupAct, Forms: []Form{
			say("drag {from:mark} to|onto|into {to:mark}", "drag 3 to 4", "Drags one element onto another"),
			say("drag {from:mark} to {to:point}", "drag 3 to 100,200", "Drags it to a point of the view"),
			say("drag {from:mark} by {by:point}", "drag 3 by 40,0", "Drags it by that many pixels right and down"),
		}},
		{Tool: "upload_file", Group: groupAct, Forms: []Form{
			say(
				"upload {path:path} to|into|in {annotationId:mark}",
				"upload photo.png to 7",
				"Chooses a file in a file field",
			),
		}},
		{Tool: "select_text", Group: groupAct, Forms: []Form{
			say("find {text:text}", `find "delivery"`, "Finds a text on the page and selects it"),
			also("find {text:text} (on|in) page", `find "delivery" on the page`),
			also("select text {text:text}", `select text "delivery"`),
			say("select text of {annotationId:mark}", "select text of 3", "Selects the text of a numbered element"),
		}},
		{Tool: "wait_for", Group: groupAct, Forms: []Form{
			say("wait {seconds:seconds}", "wait 2 seconds", "Waits"),
			also("wait for {seconds:seconds}", "wait for 500 ms"),
			say("wait for {text:text}", `wait for "Thank you"`, "Waits until a text is on the page"),
			also("wait for|until text? {text:text}", "wait for the text Done"),
			also(
				"wait for|until text? {text:text} (to appear|appears|to show up|shows up|is there)",
				"wait for Done to appear",
			),
			say(
				"wait until {gone:text} is gone",
				`wait until "Loading" is gone`,
				"Waits until a text has left the page",
			),
			also(
				"wait for|until text? {gone:text} (to disappear|to be gone|is gone|disappears|gone|to go "+
					"away|to vanish|vanishes)",
				"wait for Loading to disappear",
			),
			say("wait for address {url:text}", `wait for address "/basket"`, "Waits until the address contains that"),
		}},
	}
}
func lookCommands() []Command {
	return []Command{
		{Tool: "annotate_page", Group: groupLook, Forms: []Form{
			say("annotate", "annotate", "Numbers the elements in view"),
			also("(annotate|annotations|numbers|look) (viewport|view|everything)? again?", "numbers"),
			also("(annotate the|annotate this|annotate current|number|look at) page", "annotate this page"),
			also("(show|list) (numbers|marks)", "show the numbers"),
			say("annotate page", "annotate page", "Numbers all elements of the page").with("scope", "page"),
			also("annotate (whole page|full page|entire page|all)", "annotate the whole page").with("scope", "page"),
			say("annotate|numbers {query:text}", "annotate save", "Numbers only elements that match these words").early(),
			say("links", "links", "Lists the links of the whole page").with("scope", "page", "query", "link"),
			also("(list|show|show all|list all) links", "list links").with("scope", "page", "query", "link"),
			say("changes", "changes", "Lists what changed since the last time").with("changes_only", true),
		}},
		{Tool: "get_annotations", Group: groupLook, Forms: []Form{
			say("marks", "marks", "Lists the numbered elements again"),
		}},
		{Tool: "get_page_content", Group: groupLook, Forms: []Form{
			say("read page", "read page", "Shows the text of the page").early(),
			also("read|get|show page? (content|contents|text)? (of page|page)? now?", "read the text of the page"),
			also("page? (content|contents|text) (of page)?", "page content"),
			say("read page from {offset:count}", "read page from 4000", "Shows the text from that character on"),
			say("read page as text", "read page as text", "Shows the text without links").with("format", "text"),
		}},
		{Tool: "take_screenshot", Group: groupLook, Forms: []Form{
			say("screenshot", "screenshot", "Takes a screenshot of what is in view").early(),
			also("(take|make)? screenshot (of page|of view|of viewport|page)?", "take a screenshot of the page"),
			also("(take|make) (picture|shot) (of page|of view)?", "take a picture"),
			say("screenshot of {annotationId:mark}", "screenshot of 3", "Takes a screenshot of one element"),
			also("(take|make)? (screenshot|picture) of? {annotationId:mark}", "take a screenshot of 3"),
			say(
				"screenshot of full page",
				"screenshot of full page",
				"Takes a screenshot of the whole page",
			).with("full_page", true),
			also(
				"(take|make)? screenshot of? (full page|whole page|entire page)",
				"screenshot of the whole page",
			).with("full_page", true),
			say(
				"screenshot with numbers",
				"screenshot with numbers",
				"Takes a screenshot with the numbers drawn on it",
			).with("annotated", true),
			also(
				"(take|make)? screenshot (of page)? (with numbers|with annotations|annotated)",
				"take a screenshot with numbers",
			).with("annotated", true),
		}},
		{Tool: "get_selection", Group: groupLook, Forms: []Form{
			say("selection", "selection", "Shows the selected text"),
		}},
		{Tool: "console_messages", Group: groupLook, Forms: []Form{
			say("console", "console", "Shows the console messages of the page"),
			say("console {level:level}", "console errors", "Shows only messages of that level or above"),
		}},
		{Tool: "network_requests", Group: groupLook, Forms: []Form{
			say("requests", "requests", "Lists the network requests of the page"),
			say("requests with {contains:text}", `requests with "api"`, "Lists only requests whose address contains that"),
			say("request {id:count}", "request 5", "Shows one request and its response"),
		}},
		{Tool: "page_tools", Group: groupLook, Forms: []Form{
			say("page tools", "page tools", "Lists the tools the page offers"),
			say("page tool {name:word}", "page tool search", "Calls a tool of the page").with("action", "call"),
			say(
				"page tool {name:word} {arguments:json}",
				`page tool search {"q": "tea"}`,
				"Calls a tool of the page with arguments",
			).with("action", "call"),
		}},
	}
}

func pointCommands() []Command {
	return []Command{
		{Tool: "click_at", Group: groupPoint, Forms: []Form{
			say("click at {:point}", "click at 100,200", "Clicks a point of the view, in pixels"),
			say("double click at {:point}", "double click at 100,200", "Clicks a point twice").with("count", 2),
			say(
				"right click at {:point}",
				"right click at 100,200",
				"Clicks a point with the right button",
			).with("button", "right"),
		}},
		{Tool: "move_path", Group: groupPoint, Forms: []Form{
			say("move {points:points}", "move 10,20 80,20", "Moves the pointer along points"),
			say(
				"draw {points:points}",
				"draw 10,20 80,20",
				"Moves along points with the button held",
			).with("press", true),
		}},
		{Tool: "emulate_device", Group: groupPoint, Forms: []Form{
			say("emulate {device:device}", "emulate phone", "Emulates that device in the tab"),
			say("emulate {color_scheme:scheme}", "emulate dark", "Emulates a light or dark color scheme"),
			say(
				"emulate network {network:network}",
				"emulate network slow-3g",
				"Emulates a slow network, or none",
			),
			say("stop emulating", "stop emulating", "Stops emulation in the tab").with("reset", true),
		}},
		{Tool: "evaluate_script", Group: groupPoint, Forms: []Form{
			say("js {script:script}", "js document.title", "Runs JavaScript in the page: the rest of the line"),
			also("(javascript|evaluate script) {script:script}", "javascript document.title"),
		}},
	}
}

func fileCommands() []Command {
	return []Command{
		{Tool: "read_file", Group: groupFiles, Forms: []Form{
			say("read {path:path}", "read notes.txt", "Shows a file").early(),
			also("(read file|show file|open file) {path:path}", `read the file "my notes"`),
			also("open {path:file}", "open file notes.txt"),
			also("{path:file}", "read notes.txt"),
			say("read {path:path} from {offset:count}", "read notes.txt from 200", "Shows a file from that line on"),
		}},
		{Tool: "write_file", Group: groupFiles, Forms: []Form{
			say(
				"write {content:quoted} to|into {path:path}",
				`write "buy tea\n" to notes.txt`,
				`Writes a whole file; \n in quotes makes a line`,
			),
		}},
		{Tool: "edit_file", Group: groupFiles, Forms: []Form{
			say(
				"replace {old:quoted} with|by {new:quoted} in {path:path}",
				`replace "tea" with "milk" in notes.txt`,
				"Replaces a text that occurs once in a file",
			),
			also("in {path:path} replace {old:quoted} with|by {new:quoted}", `in notes.txt replace "tea" with "milk"`),
			say(
				"replace all {old:quoted} with|by {new:quoted} in {path:path}",
				`replace all "tea" with "milk" in notes.txt`,
				"Replaces it everywhere",
			).with("all", true),
		}},
		{Tool: "list_directory", Group: groupFiles, Forms: []Form{
			say("files", "files", "Lists the workspace folder"),
			also("(list files|ls|list folder)", "list files"),
			say("files in {path:folder}", "files in docs", "Lists a folder"),
			also("(list files in|list folder|ls) {path:folder}", "list files in docs"),
			say(
				"all files in {path:folder}",
				"all files in docs",
				"Lists a folder and everything below it",
			).with("recursive", true),
			say("all files", "all files", "Lists everything below the folder").with("recursive", true),
		}},
		{Tool: "find_files", Group: groupFiles, Forms: []Form{
			say("find files {pattern:text}", `find files "*.md"`, "Finds files by name"),
			say(
				"find files {pattern:text} in {path:folder}",
				`find files "*.md" in docs`,
				"Finds files by name below a folder",
			),
		}},
		{Tool: "search_files", Group: groupFiles, Forms: []Form{
			say(
				"search files for {pattern:text}",
				`search files for "TODO"`,
				"Finds lines in files (regular expression)",
			),
			also("search {pattern:text}", `search files for "TODO"`),
			also("search for {pattern:text}", `search files for "TODO"`),
			say(
				"search {pattern:text} in {path:folder}",
				`search "TODO" in docs`,
				"Finds lines in files below a folder",
			),
			also("search for {pattern:text} in {path:folder}", `search for "TODO" in docs`),
		}},
		{Tool: "file_info", Group: groupFiles, Forms: []Form{
			say("info {path:path}", "info notes.txt", "Shows the size and time of a file"),
			also("(file info|info about|info of) {path:path}", "file info notes.txt"),
		}},
		{Tool: "undo", Group: groupFiles, Forms: []Form{
			say("undo", "undo", "Undoes the last change to files"),
			also("undo (last|last change|last changes)", "undo the last change"),
			say("undo preview", "undo preview", "Shows what \"undo\" would change").with("preview", true),
		}},
		{Tool: "bash", Group: groupFiles, Forms: []Form{
			say("run {command:rest}", "run ls -l", "Runs a command: the rest of the line, literally"),
			also("$ {command:rest}", "$ ls -l | head"),
		}},
		{Tool: "git_read", Group: groupFiles, Forms: []Form{
			say("git {command:git}", "git status", "Shows the state of the git repository"),
			say("git diff staged", "git diff staged", "Shows what is staged").with("command", "diff", "staged", true),
			say("git show {rev:word}", "git show HEAD", "Shows a commit").with("command", "show"),
			say("git log {path:folder}", "git log docs", "Shows the commits that changed a file or folder").with("command", "log"),
			say("git diff {path:folder}", "git diff docs", "Shows the changes below a path").with("command", "diff"),
			say(
				"git blame {path:folder}",
				"git blame notes.txt",
				"Shows the commit of each line",
			).with("command", "blame"),
		}},
		{Tool: "sql_query", Group: groupFiles, Forms: []Form{
			say("sql {path:path} {query:query}", "sql shop.db SELECT count(*) FROM items", "Queries a SQLite file"),
			say("tables of|in {path:path}", "tables of shop.db", "Lists the tables of a SQLite file"),
		}},
		{Tool: "system_info", Group: groupFiles, Forms: []Form{
			say("system", "system", "Shows information about this machine"),
			also("system (info|information)", "system info"),
			say("system {what:system}", "system processes", "Shows one part of it"),
			also("processes", "processes").with("what", "processes"),
		}},
		{Tool: "read_result", Group: groupFiles, Forms: []Form{
			say("read result {handle:word}", "read result r1", "Shows a long result from its start"),
			say(
				"read result {handle:word} from {offset:count}",
				"read result r1 from 200",
				"Shows it from that line on",
			),
			say(
				"search result {handle:word} for {pattern:text}",
				`search result r1 for "error"`,
				"Finds lines in a long result",
			),
		}},
	}
}

func webCommands() []Command {
	return []Command{
		{Tool: "web_search", Group: groupWeb, Forms: []Form{
			say("search web for {query:text}", `search web for "tea shops"`, "Searches the web"),
			also("(search web|web search|web search for|search internet for) {query:text}", "web search tea shops"),
			also("search {query:text}", "search web for tea"),
			also("search for {query:text}", "search web for tea"),
		}},
		{Tool: "wget", Group: groupWeb, Forms: []Form{
			say("wget|fetch {uri:address}", "wget example.com", "Reads an address as text, without the browser"),
		}},
		{Tool: "http_request", Group: groupWeb, Forms: []Form{
			say(
				"http {method:method} {url:address}",
				"http get example.com",
				"Sends a request and shows status, headers and body",
			),
			also("get {url:address}", "get example.com").with("method", "GET"),
			say(
				"http {method:method} {url:address} with {body:quoted}",
				`http post example.com/items with "tea"`,
				"Sends a request with a body",
			),
		}},
	}
}

// panelCommands make a panel, read it and change it.
func makingCommands() []Command {
	return []Command{
		{Tool: "create_panel", Group: groupWindow, Forms: []Form{
			say(
				"(make|create|new) (a|the)? list? panel {panel_id:word}",
				"make panel shopping-list",
				"Creates a panel with a list",
			).with("template", "list"),
			say(
				"(make|create|new) (a|the)? board panel {panel_id:word}",
				"make board panel chores",
				"Creates a panel with cards in columns",
			).with("template", "board"),
		}},
		{Tool: "read_panel", Group: groupWindow, Forms: []Form{
			say(
				"panel files {panel_id:word}",
				"panel files shopping-list",
				"Lists the files of a panel you created",
			),
			say("panel file {panel_id:word} {path:word}", "panel file shopping-list page.json", "Shows one of its files"),
		}},
		{Tool: "change_panel", Group: groupWindow, Forms: []Form{
			say(
				"change panel {panel_id:word} {path:word} {old:quoted} to {new:quoted}",
				`change panel shopping-list page.json "Buy" to "Get"`,
				"Replaces text in one of its files",
			),
		}},
	}
}

func windowCommands() []Command {
	return []Command{
		{Tool: PanelTool, Group: groupWindow, Forms: []Form{
			say("(open|show|go to|switch to|go) {panel:panel} panel", "open home panel", "Opens a panel"),
			also("(open|show|go to|switch to|go) {panel:panel}", "open home"),
			also("(open|show) panel {panel:panel}", "open panel home"),
			also("{panel:panel} panel", "home panel"),
			also("home", "home").with("panel", "home"),
		}},
		{Tool: "close_panel", Group: groupWindow, Forms: []Form{
			say("close panel", "close panel", "Closes the active panel"),
			also("close active panel", "close the active panel"),
			say("close {panel:panelid} panel", "close home panel", "Closes a panel"),
			also("close {panel:panelid}", "close home"),
		}},
		{Tool: "focus_surface", Group: groupWindow, Forms: []Form{
			say("focus {surface:surface}", "focus page", "Moves the keyboard focus there"),
		}},
		{Tool: "get_workspace_state", Group: groupWindow, Forms: []Form{
			say("workspace", "workspace", "Describes what is in the window"),
			also("workspace state", "workspace state"),
		}},
		{Tool: "get_active_panel", Group: groupWindow, Forms: []Form{
			say("active panel", "active panel", "Shows which panel is active"),
		}},
		{Tool: "expand_activity_bar", Group: groupWindow, Forms: []Form{
			say("expand bar", "expand bar", "Expands the activity bar"),
			also("expand activity bar", "expand the activity bar"),
		}},
		{Tool: "collapse_activity_bar", Group: groupWindow, Forms: []Form{
			say("collapse bar", "collapse bar", "Collapses the activity bar"),
			also("collapse activity bar", "collapse the activity bar"),
		}},
		{Tool: "set_activity_bar_devices", Group: groupWindow, Forms: []Form{
			say("device {device:device}", "device phone", "Chooses the device for the window's tabs"),
		}},
		{Tool: "find_tools", Group: groupWindow, Forms: []Form{
			say("find tools {query:text}", "find tools save a page", "Finds tools by what they do"),
			also("find tools (to|for) {query:text}", "find tools to save a page"),
		}},
		{Tool: "list_created_tools", Group: groupWindow, Forms: []Form{
			say("created tools", "created tools", "Lists the created tools"),
			also("list created tools", "list created tools"),
		}},
		{Tool: "delete_tool", Group: groupWindow, Forms: []Form{
			say("delete tool {name:tool}", "delete tool my_tool", "Deletes a created tool"),
		}},
		{Tool: AnyTool, Group: groupWindow, Forms: []Form{
			say("run tool {tool:tool}", "run tool my_tool", "Calls any tool"),
			say(
				"run tool {tool:tool} {args:json}",
				`run tool my_tool {"day": 3}`,
				"Calls any tool with arguments; also /my_tool {…}",
			),
			also("run {tool:made}", "run tool my_tool"),
		}},
		{Tool: "enhance_baseline_prompt", Group: groupWindow, Forms: []Form{
			say("prompt note {note:text}", `prompt note "Answer in German."`, "Adds an instruction for models"),
			say("remove prompt note {remove:count}", "remove prompt note 1", "Removes such an instruction"),
		}},
		{Tool: "developer_note", Group: groupWindow, Forms: []Form{
			say(
				"developer note {text:text}",
				`developer note "Tabs flicker."`,
				"Leaves a note for the developers of Sextant",
			),
		}},
		{Builtin: localTools, Group: groupWindow, Forms: []Form{
			say("tools", "tools", "Lists what can be called now"),
			also("(list|show|list all|what) tools (are there)?", "list tools"),
		}},
		{Builtin: LocalHelp, Group: groupWindow, Forms: []Form{
			say("help", "help", "Lists all commands").early(),
			also("(commands|list commands|show help|what can you do|you do|what can i say)", "commands"),
			say("help {about:text}", "help click", "Explains the commands with that word"),
		}},
	}
}

// toolsWithoutCommand are core tools without a command of their own, and why.
func wordless() map[string]string {
	return map[string]string{
		"run_steps":    "several commands in one message do the same, and each shows",
		"create_tool":  "its body is JavaScript of many lines; /create_tool takes it as JSON",
		"run_subagent": "it needs a model",
	}
}

// Example is the example of one form.
type Example struct {
	// Tool is the tool that Say calls: "" if the pilot answers itself, "*" for any tool and "open_*_panel"
	// for a panel's.
	Tool, Say string
}

// Examples returns an example of every form, and why some tools have no command.
func Examples() (examples []Example, wordlessTools map[string]string) {
	for _, c := range Table() {
		for _, f := range c.Forms {
			examples = append(examples, Example{Tool: c.Tool, Say: f.Example})
		}
	}
	return examples, wordless()
}
