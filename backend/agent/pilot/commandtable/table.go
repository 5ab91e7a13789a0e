package commandtable

import "slices"

const (
	// SiteSearch as an argument means the search field of the page. A form with it is used only if there is one.
	SiteSearch = "the page's search field"
	// PanelTool stands for the tools that open a panel; each panel has its own.
	PanelTool = "open_*_panel"
	// NamedTool stands for the tool that the command itself names.
	NamedTool = "*"
)

// Commands that the pilot answers itself.
const (
	BuiltinHelp  = "help"
	BuiltinTools = "tools"
)

const (
	groupPage    = "Pages"
	groupActions = "Acting by number"
	groupReading = "Looking"
	groupPoint   = "Points, devices and scripts"
	groupFiles   = "Files and commands"
	groupWeb     = "The web without a page"
	groupWindow  = "The window and its tools"
)

// Table returns all commands.
func Table() []Command {
	return slices.Concat(
		pageCommands(),
		actionCommands(),
		readingCommands(),
		pointCommands(),
		fileCommands(),
		webCommands(),
		panelCommands(),
		windowCommands(),
	)
}

func pageCommands() []Command {
	return []Command{
		{Tool: "navigate_page", Group: groupPage, Forms: []Form{
			visibleForm(
				"(open|go to|goto|visit|navigate to|navigate|browse to|browse|load|take me to|show) {url:address}",
				"open example.com",
				"Opens an address; \"open demo\" opens the built-in shop",
			).featured(),
			hiddenForm("{url:address}", "example.com"),
			visibleForm("back", "back", "Goes back").withArgs("action", "back"),
			hiddenForm("go? (back|previous) one? page?", "go back one page").withArgs("action", "back"),
			visibleForm("forward", "forward", "Goes forward").withArgs("action", "forward"),
			visibleForm("reload", "reload", "Reloads the page").withArgs("action", "reload"),
			hiddenForm("reload|refresh (page|tab)?", "refresh the page").withArgs("action", "reload"),
		}},
		{Tool: "browser_tabs", Group: groupPage, Forms: []Form{
			visibleForm("tabs", "tabs", "Lists the tabs").withArgs("action", "list"),
			visibleForm("new tab {url:address}", "new tab example.com",
				"Opens an address in a new tab").withArgs("action", "open"),
			hiddenForm("(open|load|show|visit|go to) {url:address} (in new tab)",
				"open example.com in a new tab").withArgs("action", "open"),
			visibleForm("new tab", "new tab", "Opens an empty tab").withArgs("action", "open"),
			visibleForm("tab {tab:tab}", "tab 2", "Switches to a tab").withArgs("action", "select"),
			hiddenForm("(switch to|go to|select|show|switch|open) tab {tab:tab}",
				"switch to tab 2").withArgs("action",
				"select"),
			hiddenForm("(switch to|go to|show) {tab:tabname} tab?", "switch to the tab Example").withArgs("action",
				"select"),
			hiddenForm("(go to|switch to|show|open)? {tab:tabbeside} tab",
				"go to the next tab").withArgs("action", "select"),
			hiddenForm("close {tab:tabbeside} tab", "close the other tab").withArgs("action", "close"),
			hiddenForm("close {tab:tabname} tab?", "close the tab Example").withArgs("action", "close"),
			visibleForm("close tab {tab:tab}", "close tab 2", "Closes a tab").withArgs("action", "close"),
			visibleForm("close tab", "close tab", "Closes the active tab").withArgs("action", "close"),
		}},
		{Tool: "handle_dialog", Group: groupPage, Forms: []Form{
			visibleForm("accept", "accept", "Accepts the open dialog").withArgs("accept", true),
			hiddenForm("accept dialog", "accept the dialog").withArgs("accept", true),
			visibleForm("dismiss", "dismiss", "Dismisses the open dialog").withArgs("accept", false),
			visibleForm("answer {text:text}", `answer "Ada"`,
				"Enters text in the open dialog and accepts it").withArgs("accept", true),
			hiddenForm("answer dialog with {text:text}", `answer the dialog with "Ada"`).withArgs("accept", true),
		}},
		{Tool: "downloads", Group: groupPage, Forms: []Form{
			visibleForm("downloads", "downloads", "Lists the downloads"),
			hiddenForm("(list|show|where are) downloads", "list downloads"),
			visibleForm(
				"cancel download {id:count}",
				"cancel download 1",
				"Cancels a running download",
			).withArgs("action", "cancel"),
		}},
		{Tool: "save_pdf", Group: groupPage, Forms: []Form{
			visibleForm("save pdf", "save pdf", "Saves the page as a PDF"),
			hiddenForm("(save page|save|print page|print|download|make|create)? (as|to)? pdf (of page)?", "pdf"),
			hiddenForm("(save page|save|print page|print|make|create) (as|to)? pdf? (of page)?",
				"save the page as pdf"),
			visibleForm("save pdf as {name:text}", `save pdf as "basket"`, "Saves the page as a PDF with that name"),
		}},
	}
}

func actionCommands() []Command {
	return []Command{
		{Tool: "click_element", Group: groupActions, Forms: []Form{
			visibleForm("click|tap {annotationId:mark}", "click 3", "Clicks a numbered element").featured(),
			visibleForm("double click {annotationId:mark}", "double click 3", "Double-clicks it").withArgs("count", 2),
			hiddenForm("(double-click|doubleclick) {annotationId:mark}", "double-click on 3").withArgs("count", 2),
			hiddenForm("click (double|twice|two times) {annotationId:mark}", "click twice on 3").withArgs("count", 2),
			hiddenForm("click|tap {annotationId:mark} (double|twice|two times)",
				"click 3 twice").withArgs("count", 2),
			visibleForm(
				"triple click {annotationId:mark}",
				"triple click 3",
				"Triple-clicks it, which selects a line",
			).withArgs("count", 3),
			hiddenForm("click {annotationId:mark} (triple|three times)", "click 3 three times").withArgs("count", 3),
			visibleForm(
				"right click {annotationId:mark}",
				"right click 3",
				"Clicks it with the right button",
			).withArgs("button", "right"),
			hiddenForm("(right-click|rightclick) {annotationId:mark}", "right-click 3").withArgs("button", "right"),
			hiddenForm(
				"click {annotationId:mark} with? right button?",
				"click 3 with the right button",
			).withArgs("button", "right"),
			visibleForm(
				"middle click {annotationId:mark}",
				"middle click 3",
				"Clicks it with the middle button",
			).withArgs("button", "middle"),
			hiddenForm(
				"click {annotationId:mark} with? middle button?",
				"click 3 with the middle button",
			).withArgs("button", "middle"),
			visibleForm(
				"(control click|ctrl click|control-click|ctrl-click) {annotationId:mark}",
				"control click 3",
				"Clicks it with Control held",
			).withArgs("modifiers", []string{"Control"}),
			visibleForm(
				"(shift click|shift-click) {annotationId:mark}",
				"shift click 3",
				"Clicks it with Shift held",
			).withArgs("modifiers", []string{"Shift"}),
			visibleForm("check|tick {annotationId:mark}", "check 3", "Ticks it").unless("checked"),
			visibleForm("uncheck|untick {annotationId:mark}", "uncheck 3", "Unticks it").unless("unchecked"),
			hiddenForm("toggle {annotationId:mark}", "toggle 3"),
			hiddenForm("(open|go to|show|select|choose) {annotationId:named}", "open Add to basket").loose(),
			hiddenForm("(add|put) {annotationId:offer}", "add Fen to the basket"),
			hiddenForm("{annotationId:offer}", "Fen in the basket").loose(),
			hiddenForm("number {annotationId:mark}", "number 3"),
		}},
		{Tool: "type_text", Group: groupActions, Forms: []Form{
			visibleForm(
				"type|enter|write|input|put {text:text} into|in|to|on|at {annotationId:field}",
				"type hello into 4",
				"Replaces the text of a field",
			).featured(),
			hiddenForm("type|enter|write|input|put into|in|to {annotationId:field} {text:text}",
				"type into 4 hello you"),
			hiddenForm("fill in|out? {annotationId:field} with|by {text:text}", "fill 4 with hello"),
			hiddenForm("(enter|type|put|use) {text:text} (as|for) {annotationId:field}", "enter hello as 4"),
			hiddenForm("set|change {annotationId:textfield} to {text:text}", "set 4 to hello"),
			hiddenForm("(enter|set|change) {annotationId:fieldname} {text:text}", "enter search lamps").loose(),
			hiddenForm("{annotationId:fieldname} is {text:text}", "search is lamps").loose(),
			hiddenForm("(search site for|search page for|search shop for|search for|look for|search) {text:siteterms}",
				"look for desk lamps").withArgs("annotationId", SiteSearch, "submit", true),
			hiddenForm("(search for|look for|search|find me|find) {text:siteterms} (in|on) (site|shop)",
				"find desk lamps in the shop").withArgs("annotationId", SiteSearch, "submit", true),
			visibleForm(
				"add {text:text} to {annotationId:field}",
				`add "more" to 4`,
				"Appends to the text of a field",
			).withArgs("clear", false),
			visibleForm(
				"type {text:text} slowly into|in {annotationId:field}",
				"type hello slowly into 4",
				"Types key by key, as a person does",
			).withArgs("human", true),
			visibleForm("clear|empty {annotationId:field}", "clear 4", "Clears a field").withArgs("text", ""),
		}},
		{Tool: "select_option", Group: groupActions, Forms: []Form{
			visibleForm(
				"select|choose|pick (option|value)? {values:values} in|from|of|on|at|for {annotationId:list}",
				"select Germany in 5",
				"Selects an option of a list",
			),
			hiddenForm("set|change {annotationId:listname} to {values:values}", "set sort to price").loose(),
			hiddenForm("{annotationId:list} (by|them by|it by) {values:values}", "3 by price").loose(),
		}},
		{Tool: "press_key", Group: groupActions, Forms: []Form{
			visibleForm("press|hit {key:key}", "press Control+a", "Presses a key or a key combination"),
			visibleForm("press key {key:anykey}", "press key 3", "Presses a key whose name is a number"),
			hiddenForm("press|hit {key:anykey} key", "hit the escape key"),
			hiddenForm("submit|enter", "submit").withArgs("key", "Enter"),
		}},
		{Tool: "click_element", Group: groupActions, Forms: []Form{
			{
				Pattern: "press|hit|push {annotationId:named}", Example: "press Add to basket",
				Description: "Clicks what is called that", Hidden: true,
			},
		}},
		{Tool: "scroll_page", Group: groupActions, Forms: []Form{
			visibleForm("scroll {direction:direction}", "scroll down", "Scrolls the page"),
			hiddenForm(
				"scroll page? (to|by)? {direction:direction} (by bit|bit|bit more|more|page|of page)?",
				"scroll to the bottom of the page",
			),
			hiddenForm("scroll page? (bit|bit more|more)?", "scroll").withArgs("direction", "down"),
			hiddenForm("(go to|go|back to|go back to|page|switch to) {direction:direction} (of page)?",
				"go to the top of the page"),
			hiddenForm("to {direction:direction}", "to the top"),
			visibleForm("scroll {direction:direction} {amount:pixels}", "scroll down 300 px", "Scrolls by that much"),
			hiddenForm("scroll by? {amount:pixels}", "scroll 300 px").withArgs("direction", "down"),
			visibleForm(
				"scroll {direction:direction} in|inside|within {target:mark}",
				"scroll down in 9",
				"Scrolls inside a box",
			),
			hiddenForm("scroll in|inside|within {target:mark}", "scroll in 9").withArgs("direction", "down"),
			visibleForm(
				"scroll {direction:direction} by? {amount:pixels} in|inside|within {target:mark}",
				"scroll down 300 px in 9",
				"Scrolls inside a box by that much",
			),
		}},
		{Tool: "hover_element", Group: groupActions, Forms: []Form{
			visibleForm("hover|point {annotationId:mark}", "hover 6", "Moves the pointer over it"),
			visibleForm("scroll to {annotationId:mark}", "scroll to 5",
				"Scrolls it into view and moves the pointer over it"),
			hiddenForm("(scroll down|scroll up|go down|go up) to {annotationId:mark}", "scroll down to 5"),
		}},
		{Tool: "drag_element", Group: groupActions, Forms: []Form{
			visibleForm("drag {from:mark} to|onto|into {to:mark}", "drag 3 to 4", "Drags one element onto another"),
			visibleForm("drag {from:mark} to {to:point}", "drag 3 to 100,200", "Drags it to a point of the view"),
			visibleForm("drag {from:mark} by {by:point}", "drag 3 by 40,0",
				"Drags it by that many pixels right and down"),
		}},
		{Tool: "upload_file", Group: groupActions, Forms: []Form{
			visibleForm(
				"upload {path:path} to|into|in {annotationId:mark}",
				"upload photo.png to 7",
				"Chooses a file in a file field",
			),
		}},
		{Tool: "select_text", Group: groupActions, Forms: []Form{
			visibleForm("find {text:phrase}", `find "delivery"`, "Finds a text on the page and selects it"),
			hiddenForm("(find|search for|look for|search) {text:text} (on|in) (page|text)",
				`find "delivery" on the page`),
			hiddenForm("(find word|find text|is word|is text) {text:phrase} (on|in) page",
				"find the word delivery on the page"),
			hiddenForm("(find word|find text|where does it say) {text:phrase}", "find the word delivery"),
			hiddenForm("(where does page say|what does page say about) {text:text}", "where does the page say tea"),
			hiddenForm("does page|it (mention|say|contain) {text:text}", "does the page mention tea"),
			hiddenForm("select text {text:text}", `select text "delivery"`),
			visibleForm("select text of {annotationId:mark}", "select text of 3",
				"Selects the text of a numbered element"),
		}},
		{Tool: "wait_for", Group: groupActions, Forms: []Form{
			visibleForm("wait {seconds:seconds}", "wait 2 seconds", "Waits"),
			hiddenForm("wait for {seconds:seconds}", "wait for 500 ms"),
			visibleForm("wait for {text:text}", `wait for "Thank you"`, "Waits until a text is on the page"),
			hiddenForm("wait for|until text? {text:text}", "wait for the text Done"),
			hiddenForm("wait until it|page says {text:text}", "wait until it says Done"),
			hiddenForm(
				"wait for|until text? {text:text} (to appear|appears|to show up|shows up|is there) (on page)?",
				"wait for Done to appear",
			),
			visibleForm(
				"wait until {gone:text} is gone",
				`wait until "Loading" is gone`,
				"Waits until a text has left the page",
			),
			hiddenForm(
				"wait for|until text? {gone:text} (to disappear|to be gone|is gone|disappears|gone|to go "+
					"away|to vanish|vanishes)",
				"wait for Loading to disappear",
			),
			visibleForm("wait for address {url:text}", `wait for address "/basket"`,
				"Waits until the address contains that"),
		}},
	}
}

func readingCommands() []Command {
	return []Command{
		{Tool: "annotate_page", Group: groupReading, Forms: []Form{
			visibleForm("annotate", "annotate", "Numbers the elements in view"),
			hiddenForm("(annotate|annotations|numbers|look) (viewport|view|everything)? again?", "numbers"),
			hiddenForm("(annotate the|annotate this|annotate current|number|look at) page", "annotate this page"),
			hiddenForm("(show|list) (numbers|marks)", "show the numbers"),
			hiddenForm("(what is|what's) on page", "what is on this page"),
			hiddenForm("show? what can i (click|do here|do) on? page?", "what can I click"),
			hiddenForm("number (all|everything)", "number all"),
			hiddenForm("(list|show|show all|list all) (buttons|button)", "show all buttons").withArgs("query",
				"button"),
			visibleForm("annotate page", "annotate page", "Numbers all elements of the page").withArgs("scope", "page"),
			hiddenForm("annotate (whole page|full page|entire page|all)", "annotate the whole page").withArgs("scope",
				"page"),
			visibleForm("annotate|numbers {query:text}", "annotate save",
				"Numbers only elements that match these words").featured(),
			visibleForm("links", "links", "Lists the links of the whole page").withArgs("scope", "page", "query",
				"link"),
			visibleForm("changes", "changes", "Lists what changed since the last time").withArgs("changes_only", true),
		}},
		{Tool: "get_annotations", Group: groupReading, Forms: []Form{
			visibleForm("marks", "marks", "Lists the numbered elements again"),
		}},
		{Tool: "get_page_content", Group: groupReading, Forms: []Form{
			visibleForm("read page", "read page", "Shows the text of the page").featured(),
			hiddenForm("page? (content|contents|text) (of page)?", "page content"),
			hiddenForm("(what does page say|what does it say|read it)", "what does the page say"),
			hiddenForm("what is written (here|on page)?", "what is written on this page"),
			visibleForm("read page from {offset:count}", "read page from 4000",
				"Shows the text from that character on"),
			visibleForm("read page as text", "read page as text", "Shows the text without links").withArgs("format",
				"text"),
		}},
		{Tool: "take_screenshot", Group: groupReading, Forms: []Form{
			visibleForm("screenshot", "screenshot", "Takes a screenshot of what is in view").featured(),
			hiddenForm("(take|make|show)? screenshot (of page|of view|of viewport|of it|page)?",
				"take a screenshot of the page"),
			visibleForm("screenshot of {annotationId:mark}", "screenshot of 3", "Takes a screenshot of one element"),
			hiddenForm("(take|make)? (screenshot|picture) of? {annotationId:mark}", "take a screenshot of 3"),
			visibleForm(
				"screenshot of full page",
				"screenshot of full page",
				"Takes a screenshot of the whole page",
			).withArgs("full_page", true),
			visibleForm(
				"screenshot with numbers",
				"screenshot with numbers",
				"Takes a screenshot with the numbers drawn on it",
			).withArgs("annotated", true),
		}},
		{Tool: "get_selection", Group: groupReading, Forms: []Form{
			visibleForm("selection", "selection", "Shows the selected text"),
		}},
		{Tool: "console_messages", Group: groupReading, Forms: []Form{
			visibleForm("console", "console", "Shows the console messages of the page"),
			visibleForm("console {level:level}", "console errors", "Shows only messages of that level or above"),
		}},
		{Tool: "network_requests", Group: groupReading, Forms: []Form{
			visibleForm("requests", "requests", "Lists the network requests of the page"),
			visibleForm("requests with {contains:text}", `requests with "api"`,
				"Lists only requests whose address contains that"),
			visibleForm("request {id:count}", "request 5", "Shows one request and its response"),
		}},
		{Tool: "page_tools", Group: groupReading, Forms: []Form{
			visibleForm("page tools", "page tools", "Lists the tools the page offers"),
			visibleForm("page tool {name:word}", "page tool search", "Calls a tool of the page").withArgs("action",
				"call"),
			visibleForm(
				"page tool {name:word} {arguments:json}",
				`page tool search {"q": "tea"}`,
				"Calls a tool of the page with arguments",
			).withArgs("action", "call"),
		}},
	}
}

func pointCommands() []Command {
	return []Command{
		{Tool: "click_at", Group: groupPoint, Forms: []Form{
			visibleForm("click at {:point}", "click at 100,200", "Clicks a point of the view, in pixels"),
			visibleForm("double click at {:point}", "double click at 100,200", "Clicks a point twice").withArgs("count",
				2),
			visibleForm(
				"right click at {:point}",
				"right click at 100,200",
				"Clicks a point with the right button",
			).withArgs("button", "right"),
		}},
		{Tool: "move_path", Group: groupPoint, Forms: []Form{
			visibleForm("move {points:points}", "move 10,20 80,20", "Moves the pointer along points"),
			visibleForm(
				"draw {points:points}",
				"draw 10,20 80,20",
				"Moves along points with the button held",
			).withArgs("press", true),
		}},
		{Tool: "emulate_device", Group: groupPoint, Forms: []Form{
			visibleForm("emulate {device:device}", "emulate phone", "Emulates that device in the tab"),
			hiddenForm("{device:device} (view|mode|layout)", "phone view"),
			visibleForm("emulate {color_scheme:scheme}", "emulate dark", "Emulates a light or dark color scheme"),
			visibleForm(
				"emulate network {network:network}",
				"emulate network slow-3g",
				"Emulates a slow network, or none",
			),
			visibleForm("stop emulating", "stop emulating", "Stops emulation in the tab").withArgs("reset", true),
		}},
		{Tool: "evaluate_script", Group: groupPoint, Forms: []Form{
			visibleForm("js {script:script}", "js document.title", "Runs JavaScript in the page: the rest of the line"),
			hiddenForm("(javascript|evaluate script) {script:script}", "javascript document.title"),
		}},
	}
}

func fileCommands() []Command {
	return []Command{
		{Tool: "read_file", Group: groupFiles, Forms: []Form{
			visibleForm("read {path:path}", "read notes.txt", "Shows a file").featured(),
			hiddenForm("(read file|show file|open file) {path:path}", `read the file "my notes"`),
			hiddenForm("open {path:file}", "open file notes.txt"),
			hiddenForm("(cat|what is in|what's in|view|tell what is in|tell what's in) file? {path:path}",
				"what is in notes.txt"),
			hiddenForm("show {path:file}", "show notes.txt"),
			hiddenForm("what does {path:file} say", "what does notes.txt say"),
			hiddenForm("{path:file}", "read notes.txt"),
			visibleForm("read {path:path} from {offset:count}", "read notes.txt from 200",
				"Shows a file from that line on"),
		}},
		{Tool: "write_file", Group: groupFiles, Forms: []Form{
			visibleForm(
				"write {content:quoted} to|into {path:path}",
				`write "buy tea\n" to notes.txt`,
				`Writes a whole file; \n in quotes makes a line`,
			),
			hiddenForm("(write|save) {content:content} (to|into|as|in) file? {path:path}", "write hello to hello.txt"),
			hiddenForm("(create|make|write) new? file? (called|named)? {path:path} "+
				"with|saying|containing (text|content)? {content:text}",
				"create a file a.txt with hello"),
			hiddenForm("(create|make|write) new? file? {path:path} with|saying|containing {content:text} (in it)",
				"create a.txt with hello in it"),
			hiddenForm("(create|make|new|empty|create new|make new|create empty|make empty) file "+
				"(called|named)? {path:path}",
				"make a file a.txt").withArgs("content", ""),
		}},
		{Tool: "edit_file", Group: groupFiles, Forms: []Form{
			visibleForm(
				"replace {old:quoted} with|by {new:quoted} in {path:path}",
				`replace "tea" with "milk" in notes.txt`,
				"Replaces a text that occurs once in a file",
			),
			hiddenForm("(replace|change|swap) {old:text} (with|by|to|into|for) {new:text} in file? {path:path}",
				"change tea to milk in notes.txt"),
			hiddenForm("in file? {path:path} (replace|change) {old:text} (with|by|to|into) {new:text}",
				"in notes.txt change tea to milk"),
			visibleForm(
				"replace all {old:quoted} with|by {new:quoted} in {path:path}",
				`replace all "tea" with "milk" in notes.txt`,
				"Replaces it everywhere",
			).withArgs("all", true),
		}},
		{Tool: "list_directory", Group: groupFiles, Forms: []Form{
			visibleForm("files", "files", "Lists the workspace folder"),
			hiddenForm("(list files|ls|list folder|show files|dir)", "list files"),
			hiddenForm("(what|which) files (are there|are here|do i have)", "what files are there"),
			hiddenForm("(what is in|what's in|show|open|list) folder {path:folder}", "what is in the folder docs"),
			hiddenForm("(what is in|what's in|show|open|list) {path:folder} folder", "what is in the docs folder"),
			visibleForm("files in {path:folder}", "files in docs", "Lists a folder"),
			hiddenForm("(list files in|show files in|list folder|ls) {path:folder} folder?", "list files in docs"),
			visibleForm(
				"all files in {path:folder}",
				"all files in docs",
				"Lists a folder and everything below it",
			).withArgs("recursive", true),
			hiddenForm("(list|show) all in {path:folder}", "list all in docs").withArgs("recursive", true),
			visibleForm("all files", "all files", "Lists everything below the folder").withArgs("recursive", true),
		}},
		{Tool: "find_files", Group: groupFiles, Forms: []Form{
			visibleForm("find files {pattern:text}", `find files "*.md"`, "Finds files by name"),
			hiddenForm("(where is|find) file (called|named)? {pattern:text}", "where is the file budget.csv"),
			hiddenForm("where is {pattern:filename}", "where is budget.csv"),
			hiddenForm("find file|files (called|named) {pattern:part}", "find files called notes"),
			hiddenForm("(find|list) all? {pattern:ending} files", "find all csv files"),
			hiddenForm("(find|list) (all|files) ending in {pattern:ending}", "find all ending in csv"),
			visibleForm(
				"find files {pattern:text} in {path:folder}",
				`find files "*.md" in docs`,
				"Finds files by name below a folder",
			),
		}},
		{Tool: "search_files", Group: groupFiles, Forms: []Form{
			visibleForm(
				"search files for {pattern:text}",
				`search files for "TODO"`,
				"Finds lines in files (regular expression)",
			),
			hiddenForm("search {path:file} for {pattern:text}", "search notes.txt for milk"),
			hiddenForm("search (all files|code|project|workspace|repo) for {pattern:text}", "search the code for TODO"),
			hiddenForm("(search for|search|find) {pattern:text} in (files|folder|workspace)",
				"search for tea in my files"),
			hiddenForm("(what|which) files (mention|contain|have|say|are with) {pattern:text}",
				"which files mention TODO"),
			hiddenForm("find files (with|containing|that contain) {pattern:text}", "find files with TODO"),
			hiddenForm("search {pattern:text}", `search files for "TODO"`),
			hiddenForm("search for {pattern:text}", `search files for "TODO"`),
			visibleForm(
				"search {pattern:text} in {path:folder}",
				`search "TODO" in docs`,
				"Finds lines in files below a folder",
			),
			hiddenForm("search for {pattern:text} in {path:folder}", `search for "TODO" in docs`),
		}},
		{Tool: "file_info", Group: groupFiles, Forms: []Form{
			visibleForm("info {path:path}", "info notes.txt", "Shows the size and time of a file"),
			hiddenForm("(file info|info about|info of|how big is|how large is|how old is|size of) {path:path}",
				"file info notes.txt"),
			hiddenForm("when was {path:path} last? (changed|modified|saved|edited|created)",
				"when was notes.txt changed"),
		}},
		{Tool: "undo", Group: groupFiles, Forms: []Form{
			visibleForm("undo", "undo", "Undoes the last change to files"),
			hiddenForm("undo (last|last change|last changes|that|it)", "undo the last change"),
			visibleForm("undo preview", "undo preview", "Shows what \"undo\" would change").withArgs("preview", true),
		}},
		{Tool: "bash", Group: groupFiles, Forms: []Form{
			visibleForm("run {command:rest}", "run ls -l", "Runs a command: the rest of the line, literally"),
			hiddenForm("$ {command:rest}", "$ ls -l | head"),
			hiddenForm("run command {command:rest}", "run the command ls"),
			hiddenForm("{command:program}", "python --version"),
			hiddenForm("(delete|remove) file? {command:removal}", "delete notes.txt"),
			hiddenForm("rename file? {command:rename}", "rename notes.txt to old.txt"),
			hiddenForm("move file? {command:move}", "move notes.txt to docs"),
			hiddenForm("copy file? {command:copy}", "copy notes.txt to old.txt"),
			hiddenForm("(make|create|new) (folder|directory) (called|named)? {command:newfolder}",
				"make a folder called photos"),
		}},
		{Tool: "git_read", Group: groupFiles, Forms: []Form{
			visibleForm("git {command:git}", "git status", "Shows the state of the git repository"),
			hiddenForm("show? what changed (in git)?", "what changed in git").withArgs("command", "diff"),
			visibleForm("git diff staged", "git diff staged", "Shows what is staged").withArgs("command", "diff",
				"staged", true),
			visibleForm("git show {rev:word}", "git show HEAD", "Shows a commit").withArgs("command", "show"),
			visibleForm("git log {path:folder}", "git log docs",
				"Shows the commits that changed a file or folder").withArgs("command", "log"),
			visibleForm("git diff {path:folder}", "git diff docs", "Shows the changes below a path").withArgs("command",
				"diff"),
			visibleForm(
				"git blame {path:folder}",
				"git blame notes.txt",
				"Shows the commit of each line",
			).withArgs("command", "blame"),
		}},
		{Tool: "sql_query", Group: groupFiles, Forms: []Form{
			visibleForm("sql {path:path} {query:query}", "sql shop.db SELECT count(*) FROM items",
				"Queries a SQLite file"),
			visibleForm("tables of|in {path:path}", "tables of shop.db", "Lists the tables of a SQLite file"),
		}},
		{Tool: "system_info", Group: groupFiles, Forms: []Form{
			visibleForm("system", "system", "Shows information about this machine"),
			hiddenForm("system (info|information)", "system info"),
			visibleForm("system {what:system}", "system processes", "Shows one part of it"),
			hiddenForm("processes", "processes").withArgs("what", "processes"),
			hiddenForm("how much (memory|ram|disk space|space) "+
				"(does computer have|is free|is left|is there|do i have)?",
				"how much memory is free").withArgs("what", "resources"),
			hiddenForm("what is running (on computer|on machine|here)?", "what is running").withArgs("what",
				"processes"),
		}},
		{Tool: "read_result", Group: groupFiles, Forms: []Form{
			visibleForm("read result {handle:word}", "read result r1", "Shows a long result from its start"),
			visibleForm(
				"read result {handle:word} from {offset:count}",
				"read result r1 from 200",
				"Shows it from that line on",
			),
			visibleForm(
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
			visibleForm("search web for {query:text}", `search web for "tea shops"`, "Searches the web"),
			hiddenForm("(search web|web search|web search for|search internet for|search net for|find out online|"+
				"find out) {query:text}",
				"web search tea shops"),
			hiddenForm("(google for|google|search google for|search on google for) {query:text}", "google tea shops"),
			hiddenForm("(web search for|search online for|search on web for) {query:text}", "search online for tea"),
			hiddenForm("(look for|search for|search|find me|find) {query:text} (on web|online|on internet)",
				"find tea shops online"),
			hiddenForm("look up {query:text} (on web|online|on internet)", "look up tea on the web"),
			hiddenForm("look up {query:text}", "look up tea"),
			hiddenForm("search {query:text}", "search web for tea"),
			hiddenForm("search for {query:text}", "search web for tea"),
			hiddenForm("(search web|search internet|search online|find out) about {query:text}", "find out about tea"),
		}},
		{Tool: "wget", Group: groupWeb, Forms: []Form{
			visibleForm("wget|fetch {uri:address}", "wget example.com",
				"Reads an address as text, without the browser"),
		}},
		{Tool: "http_request", Group: groupWeb, Forms: []Form{
			visibleForm(
				"http {method:method} {url:address}",
				"http get example.com",
				"Sends a request and shows status, headers and body",
			),
			hiddenForm("get {url:address}", "get example.com").withArgs("method", "GET"),
			visibleForm(
				"http {method:method} {url:address} with {body:quoted}",
				`http post example.com/items with "tea"`,
				"Sends a request with a body",
			),
		}},
	}
}

func panelCommands() []Command {
	return []Command{
		{Tool: "browser_history", Panel: "browser", Group: groupWindow, Forms: []Form{
			visibleForm("history", "history", "Lists the pages that were visited"),
		}},
		{Tool: "browser_bookmarks", Panel: "browser", Group: groupWindow, Forms: []Form{
			visibleForm("bookmarks", "bookmarks", "Lists the bookmarks"),
		}},
		{Tool: "browser_bookmark_add", Panel: "browser", Group: groupWindow, Forms: []Form{
			visibleForm("bookmark page", "bookmark this page", "Adds the page to the bookmarks"),
			hiddenForm("(bookmark|bookmark it|save bookmark|save to bookmarks|"+
				"save it to bookmarks|add bookmark|add page to bookmarks|remember page|keep page|"+
				"remember page for later|keep page for later|save page for later)",
				"add a bookmark"),
		}},
		{Tool: "page_outline", Panel: "browser", Group: groupWindow, Forms: []Form{
			visibleForm("outline", "outline", "Lists the headings of the page"),
			hiddenForm("(page outline|show outline|show headings|show page headings|list headings|headings)",
				"show the headings"),
		}},
		{Tool: "create_panel", Group: groupWindow, Forms: []Form{
			visibleForm(
				"(make|create|new) (a|the)? list? panel {panel_id:word}",
				"make panel shopping-list",
				"Creates a panel with a list",
			).withArgs("template", "list"),
			visibleForm(
				"(make|create|new) (a|the)? board panel {panel_id:word}",
				"make board panel chores",
				"Creates a panel with cards in columns",
			).withArgs("template", "board"),
		}},
		{Tool: "read_panel", Group: groupWindow, Forms: []Form{
			visibleForm(
				"panel files {panel_id:word}",
				"panel files shopping-list",
				"Lists the files of a panel you created",
			),
			visibleForm("panel file {panel_id:word} {path:word}", "panel file shopping-list page.json",
				"Shows one of its files"),
		}},
		{Tool: "change_panel", Group: groupWindow, Forms: []Form{
			visibleForm(
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
			visibleForm("(open|show|go to|switch to|go) {panel:panel} panel", "open home panel", "Opens a panel"),
			hiddenForm("(open|show|go to|switch to|go) {panel:panel}", "open home"),
			hiddenForm("{panel:panel} panel", "home panel"),
			hiddenForm("{panel:panel}", "settings"),
			hiddenForm("home", "home").withArgs("panel", "home"),
		}},
		{Tool: "close_panel", Group: groupWindow, Forms: []Form{
			visibleForm("close panel", "close panel", "Closes the active panel"),
			visibleForm("close {panel:panelid} panel", "close home panel", "Closes a panel"),
			hiddenForm("close {panel:panelid}", "close home"),
		}},
		{Tool: "focus_surface", Group: groupWindow, Forms: []Form{
			visibleForm("focus {surface:surface}", "focus page", "Moves the keyboard focus there"),
		}},
		{Tool: "get_workspace_state", Group: groupWindow, Forms: []Form{
			visibleForm("workspace", "workspace", "Describes what is in the window"),
		}},
		{Tool: "get_active_panel", Group: groupWindow, Forms: []Form{
			visibleForm("active panel", "active panel", "Shows which panel is active"),
		}},
		{Tool: "expand_activity_bar", Group: groupWindow, Forms: []Form{
			visibleForm("expand bar", "expand bar", "Expands the activity bar"),
			hiddenForm("(expand|show|widen) (activity bar|sidebar)", "expand the activity bar"),
			hiddenForm("make (activity bar|sidebar|bar) wide|wider|large|larger|big|bigger",
				"make the activity bar wide"),
		}},
		{Tool: "collapse_activity_bar", Group: groupWindow, Forms: []Form{
			visibleForm("collapse bar", "collapse bar", "Collapses the activity bar"),
			hiddenForm("(collapse|hide) (activity bar|sidebar)", "collapse the activity bar"),
			hiddenForm("make (activity bar|sidebar|bar) narrow|narrower|small|smaller", "make the activity bar narrow"),
		}},
		{Tool: "set_activity_bar_devices", Group: groupWindow, Forms: []Form{
			visibleForm("device {device:device}", "device phone", "Chooses the device for the window's tabs"),
		}},
		{Tool: "find_tools", Group: groupWindow, Forms: []Form{
			visibleForm("find tools {query:text}", "find tools save a page", "Finds tools by what they do"),
			hiddenForm("find tools (to|for) {query:text}", "find tools to save a page"),
		}},
		{Tool: "list_created_tools", Group: groupWindow, Forms: []Form{
			visibleForm("created tools", "created tools", "Lists the created tools"),
		}},
		{Tool: "delete_tool", Group: groupWindow, Forms: []Form{
			visibleForm("delete tool {name:tool}", "delete tool my_tool", "Deletes a created tool"),
		}},
		{Tool: NamedTool, Group: groupWindow, Forms: []Form{
			visibleForm("run tool {tool:tool}", "run tool my_tool", "Calls any tool"),
			visibleForm(
				"run tool {tool:tool} {args:json}",
				`run tool my_tool {"day": 3}`,
				"Calls any tool with arguments; also /my_tool {…}",
			),
			hiddenForm("run {tool:made}", "run tool my_tool"),
		}},
		{Tool: "enhance_baseline_prompt", Group: groupWindow, Forms: []Form{
			visibleForm("prompt note {note:text}", `prompt note "Answer in German."`, "Adds an instruction for models"),
			hiddenForm("(remember to|remember that|remember|from now on) {note:text}",
				"remember to answer in German"),
			visibleForm("remove prompt note {remove:count}", "remove prompt note 1", "Removes such an instruction"),
		}},
		{Tool: "developer_note", Group: groupWindow, Forms: []Form{
			visibleForm(
				"developer note {text:text}",
				`developer note "Tabs flicker."`,
				"Leaves a note for the developers of Sextant",
			),
		}},
		{Builtin: BuiltinTools, Group: groupWindow, Forms: []Form{
			visibleForm("tools", "tools", "Lists what can be called now"),
			hiddenForm("(list|show|list all|what) tools (are there)?", "list tools"),
		}},
		{Builtin: BuiltinHelp, Group: groupWindow, Forms: []Form{
			visibleForm("help", "help", "Lists all commands").featured(),
			hiddenForm("(list|show|show all)? commands", "commands"),
			hiddenForm("(show help|help me|what can you do|you do|what can i say)", "show help"),
			visibleForm("help {about:text}", "help click", "Explains the commands with that word"),
		}},
	}
}

func toolsWithoutCommand() map[string]string {
	return map[string]string{
		"run_steps":       "several commands in one message do the same, and each shows",
		"create_tool":     "its body is JavaScript of many lines; /create_tool takes it as JSON",
		"run_subagent":    "it needs a model",
		"read_attachment": "the pilot does not read attachments",
	}
}

// Example is an example of a form.
type Example struct {
	// Tool is the tool that Text calls: "" if the pilot answers itself, else the tool's name, NamedTool or PanelTool.
	Tool, Text string
	// Panel is that of the Command.
	Panel string
}

// Examples returns an example of every form, and the tools without a command with the reasons.
func Examples() (examples []Example, wordlessTools map[string]string) {
	for _, c := range Table() {
		for _, f := range c.Forms {
			examples = append(examples, Example{Tool: c.Tool, Text: f.Example, Panel: c.Panel})
		}
	}
	return examples, toolsWithoutCommand()
}
