//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1

#include <stdlib.h>
#include <webkit2/webkit2.h>

typedef struct {
	const char *proxy;
	const char *direct[3];
	const char *stuck[4];
	GMutex lock;
	GCond settled;
	gboolean done;
} guard;

// How long the window's page may take to answer a person's hand, and how long somebody who chose to
// wait is left alone. In seconds.
#define PATIENCE 4
#define ASK_AGAIN 20

// More ends of the pages' process than this within a minute are no accident: the window stays empty.
#define ENDS_A_MINUTE 3

// On the main loop's thread only.
static gboolean unanswered = FALSE;
static guint patience = 0;
static GtkWidget *asked = NULL;
// What is said then: title, text, and the buttons that wait and stop.
static char *stuck[4] = {NULL};

static gboolean ask(gpointer view);

static void chosen(GtkDialog *dialog, gint response, gpointer view)
{
	gtk_widget_destroy(GTK_WIDGET(dialog));
	if (response == GTK_RESPONSE_ACCEPT)
		webkit_web_view_terminate_web_process(WEBKIT_WEB_VIEW(view));
	else
		g_timeout_add_seconds(ASK_AGAIN, ask, view);
}

static gboolean ask(gpointer view)
{
	patience = 0;
	if (!unanswered || asked != NULL)
		return G_SOURCE_REMOVE;
	asked = gtk_message_dialog_new(GTK_WINDOW(gtk_widget_get_toplevel(GTK_WIDGET(view))),
		GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_WARNING, GTK_BUTTONS_NONE, "%s", stuck[0]);
	gtk_window_set_title(GTK_WINDOW(asked), stuck[0]);
	gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(asked), "%s", stuck[1]);
	gtk_dialog_add_button(GTK_DIALOG(asked), stuck[2], GTK_RESPONSE_CANCEL);
	gtk_dialog_add_button(GTK_DIALOG(asked), stuck[3], GTK_RESPONSE_ACCEPT);
	gtk_dialog_set_default_response(GTK_DIALOG(asked), GTK_RESPONSE_CANCEL);
	g_signal_connect(asked, "response", G_CALLBACK(chosen), view);
	g_signal_connect(asked, "destroy", G_CALLBACK(gtk_widget_destroyed), &asked);
	gtk_widget_show_all(asked);
	return G_SOURCE_REMOVE;
}

static void calm(void)
{
	unanswered = FALSE;
	if (patience != 0)
		g_source_remove(patience);
	patience = 0;
	if (asked != NULL)
		gtk_widget_destroy(asked);
}

static void answered(GObject *view, GAsyncResult *result, gpointer data)
{
	JSCValue *value = webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(view), result, NULL);
	if (value != NULL)
		g_object_unref(value);
	calm();
}

// WebKit's own look at whether its process answers does not begin with a click behind which a
// movement of the mouse waits.
static gboolean touched(GtkWidget *view, GdkEvent *event, gpointer data)
{
	if (!unanswered) {
		unanswered = TRUE;
		patience = g_timeout_add_seconds(PATIENCE, ask, view);
		webkit_web_view_evaluate_javascript(WEBKIT_WEB_VIEW(view), "0", -1, NULL, NULL, NULL, answered, NULL);
	}
	return FALSE;
}

static void ended(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer data)
{
	static gint64 since = 0;
	static int ends = 0;
	gint64 now = g_get_monotonic_time();
	if (now - since > 60 * G_USEC_PER_SEC) {
		since = now;
		ends = 0;
	}
	calm();
	if (++ends <= ENDS_A_MINUTE)
		webkit_web_view_load_uri(view, "wails://wails/");
}

static void watch(GtkWidget *widget, gpointer data)
{
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		g_signal_connect(widget, "button-press-event", G_CALLBACK(touched), NULL);
		g_signal_connect(widget, "key-press-event", G_CALLBACK(touched), NULL);
		g_signal_connect(widget, "web-process-terminated", G_CALLBACK(ended), NULL);
	} else if (GTK_IS_CONTAINER(widget)) {
		gtk_container_forall(GTK_CONTAINER(widget), watch, NULL);
	}
}

static gboolean settle(gpointer data)
{
	guard *g = data;
	for (int i = 0; i < 4; i++)
		stuck[i] = g_strdup(g->stuck[i]);
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
	g_cond_signal(&g->settled);
	g_mutex_unlock(&g->lock);
	return G_SOURCE_REMOVE;
}

// Waits for the main loop, the only one that may touch WebKit.
static void guard_window(char **words)
{
	guard g = {.proxy = words[0], .direct = {words[1], words[2], NULL}};
	memcpy(g.stuck, words + 3, sizeof g.stuck);
	g_mutex_init(&g.lock);
	g_cond_init(&g.settled);
	g_idle_add_full(G_PRIORITY_HIGH, settle, &g, NULL);
	g_mutex_lock(&g.lock);
	while (!g.done)
		g_cond_wait(&g.settled, &g.lock);
	g_mutex_unlock(&g.lock);
	g_mutex_clear(&g.lock);
	g_cond_clear(&g.settled);
}
*/
import "C"

import (
	"unsafe"

	"sextant/app"
)

// guardWindow does what Wails has no words for:
//
//   - All that the window's pages ask for goes through net.Proxy, but for net.Direct; also what no
//     policy of a page speaks of, as preconnect. WebKit asks that proxy for names too.
//   - The pages of panels share a process with the window's own. When that answers neither key nor
//     click for four seconds, a dialog of the program's offers to end it; when it has ended, by
//     that or by itself, the first page is loaded again.
//
// It returns when both are in force. It must not be called on the main loop's thread, nor when that
// loop never runs.
func guardWindow(net app.WindowEgress) {
	var words [7]*C.char
	for i, word := range append([]string{"http://" + net.Proxy, net.Direct[0], net.Direct[1]}, stuckWords[:]...) {
		words[i] = C.CString(word)
	}
	C.guard_window(&words[0])
	for _, w := range words {
		C.free(unsafe.Pointer(w))
	}
}

// stuckWords is what a person is asked when the window's page does not answer: title, text, and the
// buttons that wait and stop, whose underlined letters are their keys.
var stuckWords = [4]string{
	"The window does not answer",
	"The page of a panel may be computing without end. Stop it and Sextant shows Home; " +
		"what the assistant does goes on, and what you typed is kept.",
	"_Wait",
	"_Stop the page",
}
