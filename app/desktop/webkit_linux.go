//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <webkit2/webkit2.h>

typedef struct {
	const char *proxy;
	const char *direct[3];
	const char *texts[4];
	GMutex lock;
	GCond ready;
	gboolean done;
} window_config;

// INPUT_TIMEOUT is how long the window's page may take to answer input. ASK_AGAIN is how long after "Wait" the dialog
// is shown again. Both are in seconds.
#define INPUT_TIMEOUT 4
#define ASK_AGAIN 20

// If the process of the pages ends more often than this within a minute, the boot page is not loaded again.
#define MAX_ENDS_PER_MINUTE 3

// These are used only on the main loop's thread. open_dialog is NULL while no dialog is shown.
static gboolean unanswered = FALSE;
static guint timer = 0;
static GtkWidget *open_dialog = NULL;
// The texts of the dialog: its title, its text, and the labels of the buttons that wait and stop.
static char *texts[4] = {NULL};

static gboolean ask(gpointer view);

static void answer_chosen(GtkDialog *dialog, gint response, gpointer view)
{
	gtk_widget_destroy(GTK_WIDGET(dialog));
	if (response == GTK_RESPONSE_ACCEPT)
		webkit_web_view_terminate_web_process(WEBKIT_WEB_VIEW(view));
	else
		g_timeout_add_seconds(ASK_AGAIN, ask, view);
}

static gboolean ask(gpointer view)
{
	timer = 0;
	if (!unanswered || open_dialog != NULL)
		return G_SOURCE_REMOVE;
	open_dialog = gtk_message_dialog_new(GTK_WINDOW(gtk_widget_get_toplevel(GTK_WIDGET(view))),
		GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_WARNING, GTK_BUTTONS_NONE, "%s", texts[0]);
	gtk_window_set_title(GTK_WINDOW(open_dialog), texts[0]);
	gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(open_dialog), "%s", texts[1]);
	gtk_dialog_add_button(GTK_DIALOG(open_dialog), texts[2], GTK_RESPONSE_CANCEL);
	gtk_dialog_add_button(GTK_DIALOG(open_dialog), texts[3], GTK_RESPONSE_ACCEPT);
	gtk_dialog_set_default_response(GTK_DIALOG(open_dialog), GTK_RESPONSE_CANCEL);
	g_signal_connect(open_dialog, "response", G_CALLBACK(answer_chosen), view);
	g_signal_connect(open_dialog, "destroy", G_CALLBACK(gtk_widget_destroyed), &open_dialog);
	gtk_widget_show_all(open_dialog);
	return G_SOURCE_REMOVE;
}

static void input_answered(void)
{
	unanswered = FALSE;
	if (timer != 0)
		g_source_remove(timer);
	timer = 0;
	if (open_dialog != NULL)
		gtk_widget_destroy(open_dialog);
}

static void answered(GObject *view, GAsyncResult *result, gpointer data)
{
	JSCValue *value = webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(view), result, NULL);
	if (value != NULL)
		g_object_unref(value);
	input_answered();
}

// Starts a timer at the first unanswered input. WebKit's own check does not notice a click that waits behind a mouse
// movement.
static gboolean input(GtkWidget *view, GdkEvent *event, gpointer data)
{
	if (!unanswered) {
		unanswered = TRUE;
		timer = g_timeout_add_seconds(INPUT_TIMEOUT, ask, view);
		webkit_web_view_evaluate_javascript(WEBKIT_WEB_VIEW(view), "0", -1, NULL, NULL, NULL, answered, NULL);
	}
	return FALSE;
}

static void process_ended(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer data)
{
	static gint64 since = 0;
	static int ends = 0;
	gint64 now = g_get_monotonic_time();
	if (now - since > 60 * G_USEC_PER_SEC) {
		since = now;
		ends = 0;
	}
	input_answered();
	if (++ends <= MAX_ENDS_PER_MINUTE)
		webkit_web_view_load_uri(view, "wails://wails/");
}

// WebKit does not give a page the files of a drop or of the clipboard (CVE-2025-13947), so the program takes them.
// dragged contains the addresses of the files that are dragged over the window, NULL for none. taken contains, for each
// drop or paste, "drop", "paste" or "picture" and the addresses, one per line.
static char **dragged = NULL;
static GAsyncQueue *taken = NULL;

static void push(const char *how, char **addresses)
{
	char *lines = g_strjoinv("\n", addresses);
	g_async_queue_push(taken, g_strconcat(how, "\n", lines, NULL));
	g_free(lines);
}

static void clipboard_addresses(GtkClipboard *clipboard, char **addresses, gpointer data)
{
	if (addresses != NULL)
		push("paste", addresses);
}

static void clipboard_picture(GtkClipboard *clipboard, GdkPixbuf *picture, gpointer data)
{
	char *path = NULL;
	int file = picture != NULL ? g_file_open_tmp("sextant-XXXXXX.png", &path, NULL) : -1;
	if (file < 0)
		return;
	close(file);
	char *addresses[2] = {g_filename_to_uri(path, NULL, NULL), NULL};
	if (gdk_pixbuf_save(picture, path, "png", NULL, NULL))
		push("picture", addresses);
	else
		remove(path);
	g_free(addresses[0]);
	g_free(path);
}

static void clipboard_targets(GtkClipboard *clipboard, GdkAtom *targets, gint count, gpointer data)
{
	if (gtk_targets_include_uri(targets, count))
		gtk_clipboard_request_uris(clipboard, clipboard_addresses, NULL);
	else if (gtk_targets_include_image(targets, count, FALSE) && !gtk_targets_include_text(targets, count))
		gtk_clipboard_request_image(clipboard, clipboard_picture, NULL);
}

// WebKit lets a page write to the clipboard only while it handles a press or key, so the program writes what the person
// copied on a page of the browser.
enum { COPIED_TEXT, COPIED_HTML };

typedef struct {
	char *text, *html;
	GdkPixbuf *picture;
} copied;

static void free_copied(GtkClipboard *clipboard, gpointer data)
{
	copied *c = data;
	g_free(c->text);
	g_free(c->html);
	g_clear_object(&c->picture);
	g_free(c);
}

static void get_copied(GtkClipboard *clipboard, GtkSelectionData *selection, guint info, gpointer data)
{
	copied *c = data;
	if (info == COPIED_HTML)
		gtk_selection_data_set(selection, gtk_selection_data_get_target(selection), 8, (guchar *)c->html,
			strlen(c->html));
	else
		gtk_selection_data_set_text(selection, c->text, -1);
}

static gboolean copy(gpointer data)
{
	copied *c = data;
	GtkClipboard *clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
	if (c->picture != NULL) {
		gtk_clipboard_set_image(clipboard, c->picture);
		free_copied(clipboard, c);
		return G_SOURCE_REMOVE;
	}
	GtkTargetList *list = gtk_target_list_new(NULL, 0);
	if (*c->text)
		gtk_target_list_add_text_targets(list, COPIED_TEXT);
	if (*c->html)
		gtk_target_list_add(list, gdk_atom_intern_static_string("text/html"), 0, COPIED_HTML);
	int count = 0;
	GtkTargetEntry *targets = gtk_target_table_new_from_list(list, &count);
	if (!gtk_clipboard_set_with_data(clipboard, targets, count, get_copied, free_copied, c))
		free_copied(clipboard, c);
	gtk_target_table_free(targets, count);
	gtk_target_list_unref(list);
	return G_SOURCE_REMOVE;
}

// Sets the clipboard on the main loop's thread. It does not wait.
static void set_clipboard(char *text, char *html, void *png, int size)
{
	copied *c = g_new0(copied, 1);
	c->text = g_strdup(text);
	c->html = g_strdup(html);
	if (size > 0) {
		GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
		gboolean complete = gdk_pixbuf_loader_write(loader, png, size, NULL);
		if (gdk_pixbuf_loader_close(loader, NULL) && complete)
			c->picture = g_object_ref(gdk_pixbuf_loader_get_pixbuf(loader));
		g_object_unref(loader);
	}
	g_idle_add(copy, c);
}

static gboolean key_pressed(GtkWidget *view, GdkEventKey *event, gpointer data)
{
	gboolean control = (event->state & gtk_accelerator_get_default_mod_mask()) == GDK_CONTROL_MASK;
	gboolean shift = (event->state & gtk_accelerator_get_default_mod_mask()) == GDK_SHIFT_MASK;
	if (control && gdk_keyval_to_lower(event->keyval) == GDK_KEY_v || shift && event->keyval == GDK_KEY_Insert)
		gtk_clipboard_request_targets(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), clipboard_targets, NULL);
	return FALSE;
}

static void drag_received(GtkWidget *view, GdkDragContext *context, gint x, gint y, GtkSelectionData *selection,
	guint info, guint time, gpointer data)
{
	// A page writes the addresses of a drag that began in the window itself.
	char **addresses = gtk_drag_get_source_widget(context) == NULL ? gtk_selection_data_get_uris(selection) : NULL;
	if (addresses == NULL)
		return;
	g_strfreev(dragged);
	dragged = addresses;
}

static gboolean drag_moved(GtkWidget *view, GdkDragContext *context, gint x, gint y, guint time, gpointer data)
{
	static GdkDragContext *last = NULL;
	if (context != last)
		g_clear_pointer(&dragged, g_strfreev);
	last = context;
	return FALSE;
}

static gboolean drag_dropped(GtkWidget *view, GdkDragContext *context, gint x, gint y, guint time, gpointer data)
{
	if (dragged != NULL)
		push("drop", dragged);
	g_clear_pointer(&dragged, g_strfreev);
	return FALSE;
}

// WebKit opens a dropped file unless the page answers in time that it takes the drop.
static gboolean decide(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type,
	gpointer data)
{
	if (type != WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION)
		return FALSE;
	WebKitNavigationAction *action =
		webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const char *address = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (address == NULL || !g_str_has_prefix(address, "file:"))
		return FALSE;
	webkit_policy_decision_ignore(decision);
	return TRUE;
}

// Keeps the items of WebKit's menu that act on text and links. Its others would reload or leave the window's page.
static gboolean context_menu(WebKitWebView *view, WebKitContextMenu *menu, GdkEvent *event, WebKitHitTestResult *target,
	gpointer data)
{
	GList *items = g_list_copy(webkit_context_menu_get_items(menu));
	for (GList *i = items; i != NULL; i = i->next) {
		switch (webkit_context_menu_item_get_stock_action(i->data)) {
		case WEBKIT_CONTEXT_MENU_ACTION_COPY:
		case WEBKIT_CONTEXT_MENU_ACTION_CUT:
		case WEBKIT_CONTEXT_MENU_ACTION_PASTE:
		case WEBKIT_CONTEXT_MENU_ACTION_PASTE_AS_PLAIN_TEXT:
		case WEBKIT_CONTEXT_MENU_ACTION_DELETE:
		case WEBKIT_CONTEXT_MENU_ACTION_SELECT_ALL:
		case WEBKIT_CONTEXT_MENU_ACTION_SPELLING_GUESS:
		case WEBKIT_CONTEXT_MENU_ACTION_COPY_LINK_TO_CLIPBOARD:
			break;
		default:
			webkit_context_menu_remove(menu, i->data);
		}
	}
	g_list_free(items);
	return webkit_context_menu_get_n_items(menu) == 0;
}

// The caller frees the next item of taken, for which it waits.
static char *next_taken(void) { return g_async_queue_pop(taken); }

static void watch(GtkWidget *widget, gpointer data)
{
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		g_signal_connect(widget, "decide-policy", G_CALLBACK(decide), NULL);
		g_signal_connect(widget, "context-menu", G_CALLBACK(context_menu), NULL);
		g_signal_connect(widget, "key-press-event", G_CALLBACK(key_pressed), NULL);
		g_signal_connect(widget, "drag-motion", G_CALLBACK(drag_moved), NULL);
		g_signal_connect(widget, "drag-data-received", G_CALLBACK(drag_received), NULL);
		g_signal_connect(widget, "drag-drop", G_CALLBACK(drag_dropped), NULL);
		g_signal_connect(widget, "button-press-event", G_CALLBACK(input), NULL);
		g_signal_connect(widget, "key-press-event", G_CALLBACK(input), NULL);
		g_signal_connect(widget, "web-process-terminated", G_CALLBACK(process_ended), NULL);
	} else if (GTK_IS_CONTAINER(widget)) {
		gtk_container_forall(GTK_CONTAINER(widget), watch, NULL);
	}
}

static gboolean apply(gpointer data)
{
	window_config *g = data;
	for (int i = 0; i < 4; i++)
		texts[i] = g_strdup(g->texts[i]);
	WebKitNetworkProxySettings *settings = webkit_network_proxy_settings_new(g->proxy, g->direct);
	webkit_website_data_manager_set_network_proxy_settings(
		webkit_web_context_get_website_data_manager(webkit_web_context_get_default()),
		WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings);
	webkit_network_proxy_settings_free(settings);
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w != NULL; w = w->next)
		watch(GTK_WIDGET(w->data), NULL);
	g_list_free(windows);
	g_mutex_lock(&g->lock);
	g->done = TRUE;
	g_cond_signal(&g->ready);
	g_mutex_unlock(&g->lock);
	return G_SOURCE_REMOVE;
}

// Configures the window on the main loop's thread, the only thread that may use WebKit, and waits for it.
static void configure_window(char **words)
{
	taken = g_async_queue_new();
	window_config g = {.proxy = words[0], .direct = {words[1], words[2], NULL}};
	memcpy(g.texts, words + 3, sizeof g.texts);
	g_mutex_init(&g.lock);
	g_cond_init(&g.ready);
	g_idle_add_full(G_PRIORITY_HIGH, apply, &g, NULL);
	g_mutex_lock(&g.lock);
	while (!g.done)
		g_cond_wait(&g.ready, &g.lock);
	g_mutex_unlock(&g.lock);
	g_mutex_clear(&g.lock);
	g_cond_clear(&g.ready);
}
*/
import "C"

import (
	"net/url"
	"strings"
	"unsafe"

	"sextant/app"
	"sextant/shared/wire"
)

// configureWindow makes three settings for which Wails has no options:
//
//   - All connections of the window's pages go through net.Proxy, except those to net.Direct. This includes connections
//     that no policy of a page controls, such as preconnect. The proxy also resolves names.
//   - The right-click menu has only the items for text and links.
//   - The pages of panels share a process with the window's page. If that process does not answer a key or a click for
//     four seconds, a dialog offers to end it. After its end, the boot page is loaded again, at most three times a
//     minute.
//
// It returns when they are in effect. The main loop must be running, and configureWindow must not be called on its
// thread.
func configureWindow(net app.WindowEgress) {
	var words [7]*C.char
	for i, word := range append([]string{"http://" + net.Proxy, net.Direct[0], net.Direct[1]}, dialogTexts[:]...) {
		words[i] = C.CString(word)
	}
	C.configure_window(&words[0])
	for _, w := range words {
		C.free(unsafe.Pointer(w))
	}
}

// setClipboard puts content on the system's clipboard, soon after it returns. The main loop must be running.
func setClipboard(content wire.Clipboard) {
	text, html := C.CString(content.Text), C.CString(content.HTML)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(html))
	png := C.CBytes(content.PNG)
	defer C.free(png)
	C.set_clipboard(text, html, png, C.int(len(content.PNG)))
}

// takenFiles are files that the person dropped on the window or pasted. how is "drop", "paste", or "picture" for a copy
// of the picture on the clipboard, which the receiver removes.
type takenFiles struct {
	how   string
	paths []string
}

// nextTakenFiles waits for the next drop or paste. configureWindow must have returned.
func nextTakenFiles() takenFiles {
	item := C.next_taken()
	defer C.free(unsafe.Pointer(item))
	how, addresses, _ := strings.Cut(C.GoString(item), "\n")
	t := takenFiles{how: how}
	for line := range strings.Lines(addresses) {
		if u, err := url.Parse(strings.TrimSpace(line)); err == nil && u.Scheme == "file" && u.Path != "" {
			t.paths = append(t.paths, u.Path)
		}
	}
	return t
}

// dialogTexts contains the texts of the dialog that appears when the window's page does not answer: its title, its
// text, and the labels of the buttons that wait and stop. The underlined letters of the labels are their keys.
var dialogTexts = [4]string{
	"The window does not answer",
	"The page of a panel may be busy. If you stop it, Sextant shows Home; " +
		"the assistant continues, and what you typed is kept.",
	"_Wait",
	"_Stop the page",
}
