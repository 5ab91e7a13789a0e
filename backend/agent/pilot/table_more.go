package pilot

func lookCommands() []command {
	return []command{
		{tool: "annotate_page", group: groupLook, forms: []form{
			say("annotate", "annotate", "Numbers what can be acted on"),
			also("(annotate|annotations|numbers|look) (viewport|view|everything)? again?", "numbers"),
			also("(annotate the|annotate this|annotate current|number|look at) page", "annotate this page"),
			also("(show|list) (numbers|marks)", "show the numbers"),
			say("annotate page", "annotate page", "Numbers the whole page, also out of view").with("scope", "page"),
			also("annotate (whole page|full page|entire page|all)", "annotate the whole page").with("scope", "page"),
			say("annotate|numbers {query:text}", "annotate save", "Numbers only what these words fit").early(),
			say("links", "links", "Lists the links of the whole page").with("scope", "page", "query", "link"),
			also("(list|show|show all|list all) links", "list links").with("scope", "page", "query", "link"),
			say("changes", "changes", "Lists what changed since the last look").with("changes_only", true),
		}},
		{tool: "get_annotations", group: groupLook, forms: []form{
			say("marks", "marks", "Lists the numbers of the last look again"),
		}},
		{tool: "get_page_content", group: groupLook, forms: []form{
			say("read page", "read page", "Shows the text of the page").early(),
			also("read|get|show page? (content|contents|text)? (of page|page)? now?", "read the text of the page"),
			also("page? (content|contents|text) (of page)?", "page content"),
			say("read page from {offset:count}", "read page from 4000", "Shows the page from that character on"),
			say("read page as text", "read page as text", "Shows the page without its links").with("format", "text"),
		}},
		{tool: "take_screenshot", group: groupLook, forms: []form{
			say("screenshot", "screenshot", "Takes a picture of what is in view").early(),
			also("(take|make)? screenshot (of page|of view|of viewport|page)?", "take a screenshot of the page"),
			also("(take|make) (picture|shot) (of page|of view)?", "take a picture"),
			say("screenshot of {annotationId:mark}", "screenshot of 3", "Takes a picture of one thing"),
			also("(take|make)? (screenshot|picture) of? {annotationId:mark}", "take a screenshot of 3"),
			say("screenshot of full page", "screenshot of full page", "Takes a picture of the whole page").with("full_page", true),
			also("(take|make)? screenshot of? (full page|whole page|entire page)", "screenshot of the whole page").with("full_page", true),
			say("screenshot with numbers", "screenshot with numbers", "Takes a picture with the numbers on it").with("annotated", true),
			also("(take|make)? screenshot (of page)? (with numbers|with annotations|annotated)", "take a screenshot with numbers").with("annotated", true),
		}},
		{tool: "get_selection", group: groupLook, forms: []form{
			say("selection", "selection", "Shows the text that is selected"),
		}},
		{tool: "console_messages", group: groupLook, forms: []form{
			say("console", "console", "Shows what scripts of the page wrote"),
			say("console {level:level}", "console errors", "Shows only what is as bad or worse"),
		}},
		{tool: "network_requests", group: groupLook, forms: []form{
			say("requests", "requests", "Lists what the page loaded"),
			say("requests with {contains:text}", `requests with "api"`, "Lists only addresses that hold that"),
			say("request {id:count}", "request 5", "Shows one request with its answer"),
		}},
		{tool: "page_tools", group: groupLook, forms: []form{
			say("page tools", "page tools", "Lists tools that the page itself offers"),
			say("page tool {name:word}", "page tool search", "Calls a tool of the page").with("action", "call"),
			say("page tool {name:word} {arguments:json}", `page tool search {"q": "tea"}`, "Calls a tool of the page with arguments").with("action", "call"),
		}},
	}
}

func pointCommands() []command {
	return []command{
		{tool: "click_at", group: groupPoint, forms: []form{
			say("click at {:point}", "click at 100,200", "Clicks a point of the view, in pixels"),
			say("double click at {:point}", "double click at 100,200", "Clicks a point twice").with("count", 2),
			say("right click at {:point}", "right click at 100,200", "Clicks a point with the right button").with("button", "right"),
		}},
		{tool: "move_path", group: groupPoint, forms: []form{
			say("move {points:points}", "move 10,20 80,20", "Moves the pointer along points"),
			say("draw {points:points}", "draw 10,20 80,20", "Moves along points with the button held").with("press", true),
		}},
		{tool: "emulate_device", group: groupPoint, forms: []form{
			say("emulate {device:device}", "emulate phone", "Lets the tab pretend to be that device"),
			say("emulate {color_scheme:scheme}", "emulate dark", "Asks pages for light or dark colours"),
			say("emulate network {network:network}", "emulate network slow-3g", "Makes the tab's network slow or cuts it"),
			say("stop emulating", "stop emulating", "Ends what the tab pretends").with("reset", true),
		}},
		{tool: "evaluate_script", group: groupPoint, forms: []form{
			say("js {script:script}", "js document.title", "Runs JavaScript in the page, to the end of the line"),
			also("(javascript|evaluate script) {script:script}", "javascript document.title"),
		}},
	}
}

func fileCommands() []command {
	return []command{
		{tool: "read_file", group: groupFiles, forms: []form{
			say("read {path:path}", "read notes.txt", "Shows a file").early(),
			also("(read file|show file|open file) {path:path}", `read the file "my notes"`),
			also("open {path:file}", "open file notes.txt"),
			also("{path:file}", "read notes.txt"),
			say("read {path:path} from {offset:count}", "read notes.txt from 200", "Shows a file from that line on"),
		}},
		{tool: "write_file", group: groupFiles, forms: []form{
			say("write {content:quoted} to|into {path:path}", `write "buy tea\n" to notes.txt`, `Writes a whole file; \n in quotes makes a line`),
		}},
		{tool: "edit_file", group: groupFiles, forms: []form{
			say("replace {old:quoted} with|by {new:quoted} in {path:path}", `replace "tea" with "milk" in notes.txt`, "Replaces a text that stands once in a file"),
			also("in {path:path} replace {old:quoted} with|by {new:quoted}", `in notes.txt replace "tea" with "milk"`),
			say("replace all {old:quoted} with|by {new:quoted} in {path:path}", `replace all "tea" with "milk" in notes.txt`, "Replaces it wherever it stands").with("all", true),
		}},
		{tool: "list_directory", group: groupFiles, forms: []form{
			say("files", "files", "Lists the folder that is worked in"),
			also("(list files|ls|list folder)", "list files"),
			say("files in {path:folder}", "files in docs", "Lists a folder"),
			also("(list files in|list folder|ls) {path:folder}", "list files in docs"),
			say("all files in {path:folder}", "all files in docs", "Lists a folder and all below it").with("recursive", true),
			say("all files", "all files", "Lists everything below the folder").with("recursive", true),
		}},
		{tool: "find_files", group: groupFiles, forms: []form{
			say("find files {pattern:text}", `find files "*.md"`, "Finds files by name"),
			say("find files {pattern:text} in {path:folder}", `find files "*.md" in docs`, "Finds files by name below a folder"),
		}},
		{tool: "search_files", group: groupFiles, forms: []form{
			say("search files for {pattern:text}", `search files for "TODO"`, "Finds lines of files (a regular expression)"),
			also("search {pattern:text}", `search files for "TODO"`),
			also("search for {pattern:text}", `search files for "TODO"`),
			say("search {pattern:text} in {path:folder}", `search "TODO" in docs`, "Finds lines of files below a folder"),
			also("search for {pattern:text} in {path:folder}", `search for "TODO" in docs`),
		}},
		{tool: "file_info", group: groupFiles, forms: []form{
			say("info {path:path}", "info notes.txt", "Tells size and time of a file"),
			also("(file info|info about|info of) {path:path}", "file info notes.txt"),
		}},
		{tool: "undo", group: groupFiles, forms: []form{
			say("undo", "undo", "Takes back the last change to files"),
			also("undo (last|last change|last changes)", "undo the last change"),
			say("undo preview", "undo preview", "Shows what undo would change").with("preview", true),
		}},
		{tool: "bash", group: groupFiles, forms: []form{
			say("run {command:rest}", "run ls -l", "Runs a command, to the end of the line as it stands"),
			also("$ {command:rest}", "$ ls -l | head"),
		}},
		{tool: "git_read", group: groupFiles, forms: []form{
			say("git {command:git}", "git status", "Looks at the git repository"),
			say("git diff staged", "git diff staged", "Shows what is staged").with("command", "diff", "staged", true),
			say("git show {rev:word}", "git show HEAD", "Shows a commit").with("command", "show"),
			say("git log {path:folder}", "git log docs", "Shows what changed a file or folder").with("command", "log"),
			say("git diff {path:folder}", "git diff docs", "Shows the changes below a path").with("command", "diff"),
			say("git blame {path:folder}", "git blame notes.txt", "Tells which commit wrote each line").with("command", "blame"),
		}},
		{tool: "sql_query", group: groupFiles, forms: []form{
			say("sql {path:path} {query:query}", "sql shop.db SELECT count(*) FROM items", "Reads a SQLite file"),
			say("tables of|in {path:path}", "tables of shop.db", "Lists the tables of a SQLite file"),
		}},
		{tool: "system_info", group: groupFiles, forms: []form{
			say("system", "system", "Tells about this machine"),
			also("system (info|information)", "system info"),
			say("system {what:system}", "system processes", "Tells one part of it"),
			also("processes", "processes").with("what", "processes"),
		}},
		{tool: "read_result", group: groupFiles, forms: []form{
			say("read result {handle:word}", "read result r1", "Shows a long result from its start"),
			say("read result {handle:word} from {offset:count}", "read result r1 from 200", "Shows it from that line on"),
			say("search result {handle:word} for {pattern:text}", `search result r1 for "error"`, "Finds lines of a long result"),
		}},
	}
}

func webCommands() []command {
	return []command{
		{tool: "web_search", group: groupWeb, forms: []form{
			say("search web for {query:text}", `search web for "tea shops"`, "Searches the web"),
			also("(search web|web search|web search for|search internet for) {query:text}", "web search tea shops"),
			also("search {query:text}", "search web for tea"),
			also("search for {query:text}", "search web for tea"),
		}},
		{tool: "wget", group: groupWeb, forms: []form{
			say("wget|fetch {uri:address}", "wget example.com", "Reads an address as text, without the browser"),
		}},
		{tool: "http_request", group: groupWeb, forms: []form{
			say("http {method:method} {url:address}", "http get example.com", "Sends a request and shows status, headers and body"),
			also("get {url:address}", "get example.com").with("method", "GET"),
			say("http {method:method} {url:address} with {body:quoted}", `http post example.com/items with "tea"`, "Sends a request with a body"),
		}},
	}
}

// makingCommands make a panel, read it back and mend it.
func makingCommands() []command {
	return []command{
		{tool: "create_panel", group: groupWindow, forms: []form{
			say("(make|create|new) (a|the)? list? panel {panel_id:word}", "make panel shopping-list", "Makes a panel with a list").with("template", "list"),
			say("(make|create|new) (a|the)? board panel {panel_id:word}", "make board panel chores", "Makes a panel with cards in columns").with("template", "board"),
		}},
		{tool: "read_panel", group: groupWindow, forms: []form{
			say("panel files {panel_id:word}", "panel files shopping-list", "Lists the files of a panel that was made here"),
			say("panel file {panel_id:word} {path:word}", "panel file shopping-list page.json", "Shows a file of it"),
		}},
		{tool: "change_panel", group: groupWindow, forms: []form{
			say("change panel {panel_id:word} {path:word} {old:quoted} to {new:quoted}", `change panel shopping-list page.json "Buy" to "Get"`, "Changes words in a file of it"),
		}},
	}
}

func windowCommands() []command {
	return []command{
		{tool: panelTool, group: groupWindow, forms: []form{
			say("(open|show|go to|switch to|go) {panel:panel} panel", "open home panel", "Opens a panel"),
			also("(open|show|go to|switch to|go) {panel:panel}", "open home"),
			also("(open|show) panel {panel:panel}", "open panel home"),
			also("{panel:panel} panel", "home panel"),
			also("home", "home").with("panel", "home"),
		}},
		{tool: "close_panel", group: groupWindow, forms: []form{
			say("close panel", "close panel", "Closes the panel in front"),
			also("close active panel", "close the active panel"),
			say("close {panel:panelid} panel", "close home panel", "Closes a panel"),
			also("close {panel:panelid}", "close home"),
		}},
		{tool: "focus_surface", group: groupWindow, forms: []form{
			say("focus {surface:surface}", "focus page", "Moves the keyboard there"),
		}},
		{tool: "get_workspace_state", group: groupWindow, forms: []form{
			say("workspace", "workspace", "Tells what stands in the window"),
			also("workspace state", "workspace state"),
		}},
		{tool: "get_active_panel", group: groupWindow, forms: []form{
			say("active panel", "active panel", "Tells which panel is in front"),
		}},
		{tool: "expand_activity_bar", group: groupWindow, forms: []form{
			say("expand bar", "expand bar", "Makes the bar at the left wide"),
			also("expand activity bar", "expand the activity bar"),
		}},
		{tool: "collapse_activity_bar", group: groupWindow, forms: []form{
			say("collapse bar", "collapse bar", "Makes the bar at the left narrow"),
			also("collapse activity bar", "collapse the activity bar"),
		}},
		{tool: "set_activity_bar_devices", group: groupWindow, forms: []form{
			say("device {device:device}", "device phone", "Chooses the device for the window's tabs"),
		}},
		{tool: "find_tools", group: groupWindow, forms: []form{
			say("find tools {query:text}", "find tools save a page", "Finds tools by what they do"),
			also("find tools (to|for) {query:text}", "find tools to save a page"),
		}},
		{tool: "list_created_tools", group: groupWindow, forms: []form{
			say("created tools", "created tools", "Lists the tools that were made here"),
			also("list created tools", "list created tools"),
		}},
		{tool: "delete_tool", group: groupWindow, forms: []form{
			say("delete tool {name:tool}", "delete tool my_tool", "Deletes a tool that was made here"),
		}},
		{tool: anyTool, group: groupWindow, forms: []form{
			say("run tool {tool:tool}", "run tool my_tool", "Calls any tool, made here or not"),
			say("run tool {tool:tool} {args:json}", `run tool my_tool {"day": 3}`, "Calls any tool with arguments; also /my_tool {…}"),
			also("run {tool:made}", "run tool my_tool"),
		}},
		{tool: "enhance_baseline_prompt", group: groupWindow, forms: []form{
			say("prompt note {note:text}", `prompt note "Answer in German."`, "Keeps an instruction for models"),
			say("remove prompt note {remove:count}", "remove prompt note 1", "Removes such an instruction"),
		}},
		{tool: "developer_note", group: groupWindow, forms: []form{
			say("developer note {text:text}", `developer note "Tabs flicker."`, "Leaves a note for the developers of Sextant"),
		}},
		{local: localTools, group: groupWindow, forms: []form{
			say("tools", "tools", "Lists what can be called now"),
			also("(list|show|list all|what) tools (are there)?", "list tools"),
		}},
		{local: localHelp, group: groupWindow, forms: []form{
			say("help", "help", "Lists all commands").early(),
			also("(commands|list commands|show help|what can you do|you do|what can i say)", "commands"),
			say("help {about:text}", "help click", "Explains the commands of that word"),
		}},
	}
}

// wordless are core tools without words of their own, and why.
func wordless() map[string]string {
	return map[string]string{
		"run_steps":    "several commands in one message do the same, and each shows",
		"create_tool":  "its body is JavaScript of many lines; /create_tool takes it as JSON",
		"run_subagent": "it needs a model",
	}
}

// Example is one form of the table as others may look at it.
type Example struct {
	// Tool is what Say calls, "" when the pilot answers itself, "*" for any tool and
	// "open_*_panel" for a panel's.
	Tool, Say string
}

// Examples gives an example of every form, and for tools without a command of their own why.
func Examples() (examples []Example, wordlessTools map[string]string) {
	for _, c := range table() {
		for _, f := range c.forms {
			examples = append(examples, Example{Tool: c.tool, Say: f.example})
		}
	}
	return examples, wordless()
}
