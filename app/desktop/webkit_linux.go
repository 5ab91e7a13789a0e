//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1

#include <stdlib.h>
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

static void watch(GtkWidget *widget, gpointer data)
{
	if (WEBKIT_IS_WEB_VIEW(widget)) {
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
	"unsafe"

	"sextant/app"
)

// configureWindow makes two settings for which Wails has no options:
//
//   - All connections of the window's pages go through net.Proxy, except those to net.Direct. This includes connections
//     that no policy of a page controls, such as preconnect. The proxy also resolves names.
//   - The pages of panels share a process with the window's page. If that process does not answer a key or a click for
//     four seconds, a dialog offers to end it. After its end, the boot page is loaded again, at most three times a
//     minute.
//
// It returns when both are in effect. The main loop must be running, and configureWindow must not be called on its
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

// dialogTexts contains the texts of the dialog that appears when the window's page does not answer: its title, its
// text, and the labels of the buttons that wait and stop. The underlined letters of the labels are their keys.
var dialogTexts = [4]string{
	"The window does not answer",
	"The page of a panel may be busy. If you stop it, Sextant shows Home; " +
		"the assistant continues, and what you typed is kept.",
	"_Wait",
	"_Stop the page",
}
