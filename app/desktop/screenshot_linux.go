//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1

#include <stdlib.h>
#include <string.h>
#include <webkit2/webkit2.h>

// A screenshot that is being taken. The caller may stop waiting, so the last user frees it.
typedef struct {
	GMutex lock;
	GCond ready;
	int references;
	gboolean done;
	GByteArray *png;
	char *why;
} screenshot;

static void release(screenshot *p)
{
	g_mutex_lock(&p->lock);
	gboolean last = --p->references == 0;
	g_mutex_unlock(&p->lock);
	if (!last)
		return;
	g_byte_array_unref(p->png);
	g_free(p->why);
	g_mutex_clear(&p->lock);
	g_cond_clear(&p->ready);
	g_free(p);
}

// Completes a screenshot on the main loop's thread. why is NULL if it succeeded.
static void finish(screenshot *p, const char *why)
{
	g_mutex_lock(&p->lock);
	p->why = g_strdup(why);
	p->done = TRUE;
	g_cond_signal(&p->ready);
	g_mutex_unlock(&p->lock);
	release(p);
}

static void find_web_view(GtkWidget *widget, gpointer found)
{
	if (*(GtkWidget **)found != NULL)
		return;
	if (WEBKIT_IS_WEB_VIEW(widget))
		*(GtkWidget **)found = widget;
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find_web_view, found);
}

static cairo_status_t append(void *png, const unsigned char *bytes, unsigned int length)
{
	g_byte_array_append(png, bytes, length);
	return CAIRO_STATUS_SUCCESS;
}

static void snapshot_ready(GObject *view, GAsyncResult *result, gpointer data)
{
	screenshot *p = data;
	GError *error = NULL;
	cairo_surface_t *surface = webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(view), result, &error);
	if (surface == NULL) {
		finish(p, error != NULL ? error->message : "WebKit returned no picture");
		g_clear_error(&error);
		return;
	}
	cairo_status_t status = cairo_surface_write_to_png_stream(surface, append, p->png);
	cairo_surface_destroy(surface);
	finish(p, status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status));
}

// take runs on the main loop's thread.
static gboolean take(gpointer data)
{
	GtkWidget *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL; l = l->next)
		find_web_view(GTK_WIDGET(l->data), &view);
	g_list_free(windows);
	if (view == NULL)
		finish(data, "the window has no page");
	else
		webkit_web_view_get_snapshot(WEBKIT_WEB_VIEW(view), WEBKIT_SNAPSHOT_REGION_VISIBLE,
			WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, snapshot_ready, data);
	return G_SOURCE_REMOVE;
}

// take_screenshot waits up to timeout milliseconds for a screenshot of the window's page. It returns a PNG, or NULL and
// the reason in why. The caller frees both.
static void *take_screenshot(int timeout, int *size, char **why)
{
	screenshot *p = g_new0(screenshot, 1);
	g_mutex_init(&p->lock);
	g_cond_init(&p->ready);
	p->references = 2;
	p->png = g_byte_array_new();
	g_idle_add(take, p);
	gint64 end = g_get_monotonic_time() + (gint64)timeout * G_TIME_SPAN_MILLISECOND;
	void *png = NULL;
	g_mutex_lock(&p->lock);
	while (!p->done && g_cond_wait_until(&p->ready, &p->lock, end))
		;
	if (!p->done)
		*why = strdup("the window does not answer");
	else if (p->why != NULL)
		*why = strdup(p->why);
	else {
		*size = (int)p->png->len;
		png = malloc(p->png->len > 0 ? p->png->len : 1);
		memcpy(png, p->png->data, p->png->len);
	}
	g_mutex_unlock(&p->lock);
	release(p);
	return png;
}
*/
import "C"

import (
	"context"
	"fmt"
	"time"
	"unsafe"
)

const screenshotTimeout = 5 * time.Second

// takeScreenshot returns a PNG of the window's page. It waits up to screenshotTimeout for GTK's main loop to take it,
// even if ctx ends meanwhile.
func takeScreenshot(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("taking a screenshot of the window: %w", err)
	}
	var size C.int
	var why *C.char
	png := C.take_screenshot(C.int(screenshotTimeout.Milliseconds()), &size, &why)
	if png == nil {
		defer C.free(unsafe.Pointer(why))
		return nil, fmt.Errorf("taking a screenshot of the window: %s", C.GoString(why))
	}
	defer C.free(png)
	return C.GoBytes(png, size), nil
}
