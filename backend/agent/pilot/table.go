package pilot

import "slices"

const (
	panelTool = "open_*_panel"
	anyTool   = "*"
)

// What the pilot answers itself.
const (
	localHelp  = "help"
	localTools = "tools"
)

// Groups of commands, as help lists them.
const (
	groupPage   = "Pages"
	groupAct    = "Acting by number"
	groupLook   = "Looking"
	groupPoint  = "Points, devices and scripts"
	groupFiles  = "Files and commands"
	groupWeb    = "The web without a page"
	groupWindow = "The window and its tools"
)

// table is every command. Reader, help, suggestions and completion all come from it.
func table() []command {
	return slices.Concat(pageCommands(), actCommands(), lookCommands(), pointCommands(), fileCommands(), webCommands(), makingCommands(), windowCommands())
}

func pageCommands() []command {
	return []command{
		{tool: "navigate_page", group: groupPage, forms: []form{
			say("(open|go to|goto|visit|navigate to|navigate|browse to|browse|load|take me to) {url:address}", "open example.com", "Opens an address; open demo is the built-in shop").early(),
			also("{url:address}", "example.com"),
			say("back", "back", "Goes back").with("action", "back"),
			also("go? (back|previous) one? page?", "go back one page").with("action", "back"),
			say("forward", "forward", "Goes forward").with("action", "forward"),
			also("go? (forward|forwards) one? page?", "go forward").with("action", "forward"),
			say("reload", "reload", "Loads the page again").with("action", "reload"),
			also("reload|refresh page?", "refresh the page").with("action", "reload"),
		}},
		{tool: "browser_tabs", group: groupPage, forms: []form{
			say("tabs", "tabs", "Lists the tabs").with("action", "list"),
			also("(list|show|all|open|list all|show all|list open)? browser? tabs", "list tabs").with("action", "list"),
			say("new tab {url:address}", "new tab example.com", "Opens an address in a new tab").with("action", "open"),
			also("(open|make)? in? new tab (with|at|for|to|on)? {url:address}", "open a new tab with example.com").with("action", "open"),
			also("open {url:address} (in new tab)", "open example.com in a new tab").with("action", "open"),
			say("new tab", "new tab", "Opens an empty tab").with("action", "open"),
			also("open|make new tab", "open a new tab").with("action", "open"),
			say("tab {tab:tab}", "tab 2", "Brings a tab to the front").with("action", "select"),
			also("(switch to|go to|select|show|switch|open) tab {tab:tab}", "switch to tab 2").with("action", "select"),
			say("close tab {tab:tab}", "close tab 2", "Closes a tab").with("action", "close"),
			say("close tab", "close tab", "Closes the tab in front").with("action", "close"),
		}},
		{tool: "handle_dialog", group: groupPage, forms: []form{
			say("accept", "accept", "Answers the open dialog with yes").with("accept", true),
			also("accept dialog", "accept the dialog").with("accept", true),
			say("dismiss", "dismiss", "Answers the open dialog with no").with("accept", false),
			also("(dismiss|cancel|close) dialog", "dismiss the dialog").with("accept", false),
			say("answer {text:text}", `answer "Ada"`, "Answers the open dialog with a text").with("accept", true),
			also("answer dialog with {text:text}", `answer the dialog with "Ada"`).with("accept", true),
		}},
		{tool: "downloads", group: groupPage, forms: []form{
			say("downloads", "downloads", "Lists the downloads"),
			also("(list|show) downloads", "list downloads"),
			say("cancel download {id:count}", "cancel download 1", "Stops a download that runs").with("action", "cancel"),
		}},
		{tool: "save_pdf", group: groupPage, forms: []form{
			say("save pdf", "save pdf", "Saves the page as a PDF"),
			also("(save page|save) (as|to)? pdf", "save the page as pdf"),
			say("save pdf as {name:text}", `save pdf as "basket"`, "Saves the page as a PDF of that name"),
		}},
	}
}

func actCommands() []command {
	return []command{
		{tool: "click_element", group: groupAct, forms: []form{
			say("click|tap {annotationId:mark}", "click 3", "Clicks a number on the page").early(),
			say("double click {annotationId:mark}", "double click 3", "Clicks it twice").with("count", 2),
			also("(double-click|doubleclick) {annotationId:mark}", "double-click on 3").with("count", 2),
			also("click|tap {annotationId:mark} (double|twice|two times)", "click 3 twice").with("count", 2),
			say("triple click {annotationId:mark}", "triple click 3", "Clicks it three times, which chooses a line").with("count", 3),
			also("click {annotationId:mark} (triple|three times)", "click 3 three times").with("count", 3),
			say("right click {annotationId:mark}", "right click 3", "Clicks it with the right button").with("button", "right"),
			also("(right-click|rightclick) {annotationId:mark}", "right-click 3").with("button", "right"),
			also("click {annotationId:mark} with? right button?", "click 3 with the right button").with("button", "right"),
			say("middle click {annotationId:mark}", "middle click 3", "Clicks it with the middle button").with("button", "middle"),
			also("click {annotationId:mark} with? middle button?", "click 3 with the middle button").with("button", "middle"),
			say("(control click|ctrl click|control-click|ctrl-click) {annotationId:mark}", "control click 3", "Clicks it with Control held").with("modifiers", []string{"Control"}),
			say("(shift click|shift-click) {annotationId:mark}", "shift click 3", "Clicks it with Shift held").with("modifiers", []string{"Shift"}),
			also("check|uncheck|tick|untick|toggle {annotationId:mark}", "check 3"),
		}},
		{tool: "type_text", group: groupAct, forms: []form{
			say("type|enter|write|input|put {text:text} into|in|to|on|at {annotationId:field}", "type hello into 4", "Types into a field in place of what it held").early(),
			also("type|enter|write|input|put into|in|to {annotationId:field} {text:text}", "type into 4 hello you"),
			also("fill in|out? {annotationId:field} with|by {text:text}", "fill 4 with hello"),
			say("add {text:text} to {annotationId:field}", `add "more" to 4`, "Types behind what the field holds").with("clear", false),
			say("type {text:text} slowly into|in {annotationId:field}", "type hello slowly into 4", "Types key by key as a person does").with("human", true),
			say("clear|empty {annotationId:field}", "clear 4", "Empties a field").with("text", ""),
		}},
		{tool: "select_option", group: groupAct, forms: []form{
			say("select|choose|pick (option|value)? {values:values} in|from|of|on|at|for {annotationId:list}", "select Germany in 5", "Chooses in a list"),
		}},
		{tool: "press_key", group: groupAct, forms: []form{
			say("press|hit {key:key}", "press Control+a", "Presses a key or several at once"),
			say("press key {key:anykey}", "press key 3", "Presses a key whose name is a number"),
			also("press|hit {key:anykey} key", "hit the escape key"),
			also("submit|enter", "submit").with("key", "Enter"),
		}},
		{tool: "scroll_page", group: groupAct, forms: []form{
			say("scroll {direction:direction}", "scroll down", "Scrolls the page"),
			also("scroll page? (to|by)? {direction:direction} (by bit|bit|bit more|more|page|of page)?", "scroll to the bottom of the page"),
			also("scroll page? (bit|bit more|more)?", "scroll").with("direction", "down"),
			say("scroll {direction:direction} {amount:pixels}", "scroll down 300 px", "Scrolls so far"),
			also("scroll page? (to|by)? {direction:direction} by {amount:pixels}", "scroll down by 300px"),
			also("scroll by? {amount:pixels}", "scroll 300 px").with("direction", "down"),
			say("scroll {direction:direction} in|inside|within {target:mark}", "scroll down in 9", "Scrolls inside a box"),
			also("scroll in|inside|within {target:mark}", "scroll in 9").with("direction", "down"),
			say("scroll {direction:direction} by? {amount:pixels} in|inside|within {target:mark}", "scroll down 300 px in 9", "Scrolls so far inside a box"),
		}},
		{tool: "hover_element", group: groupAct, forms: []form{
			say("hover|point {annotationId:mark}", "hover 6", "Moves the pointer onto it"),
			say("scroll to {annotationId:mark}", "scroll to 5", "Brings it into view, with the pointer on it"),
		}},
		{tool: "drag_element", group: groupAct, forms: []form{
			say("drag {from:mark} to|onto|into {to:mark}", "drag 3 to 4", "Drags one thing onto another"),
			say("drag {from:mark} to {to:point}", "drag 3 to 100,200", "Drags it to a point of the view"),
			say("drag {from:mark} by {by:point}", "drag 3 by 40,0", "Drags it so many pixels right and down"),
		}},
		{tool: "upload_file", group: groupAct, forms: []form{
			say("upload {path:path} to|into|in {annotationId:mark}", "upload photo.png to 7", "Gives a file to a file field"),
		}},
		{tool: "select_text", group: groupAct, forms: []form{
			say("find {text:text}", `find "delivery"`, "Finds a text on the page and selects it"),
			also("find {text:text} (on|in) page", `find "delivery" on the page`),
			also("select text {text:text}", `select text "delivery"`),
			say("select text of {annotationId:mark}", "select text of 3", "Selects the text of a number"),
		}},
		{tool: "wait_for", group: groupAct, forms: []form{
			say("wait {seconds:seconds}", "wait 2 seconds", "Waits"),
			also("wait for {seconds:seconds}", "wait for 500 ms"),
			say("wait for {text:text}", `wait for "Thank you"`, "Waits until a text stands on the page"),
			also("wait for|until text? {text:text}", "wait for the text Done"),
			also("wait for|until text? {text:text} (to appear|appears|to show up|shows up|is there)", "wait for Done to appear"),
			say("wait until {gone:text} is gone", `wait until "Loading" is gone`, "Waits until a text has left the page"),
			also("wait for|until text? {gone:text} (to disappear|to be gone|is gone|disappears|gone|to go away|to vanish|vanishes)", "wait for Loading to disappear"),
			say("wait for address {url:text}", `wait for address "/basket"`, "Waits until the address holds that"),
		}},
	}
}
