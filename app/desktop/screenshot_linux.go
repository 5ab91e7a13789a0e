//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1

#include <stdlib.h>
#include <string.h>
#include <webkit2/webkit2.h>

// A picture on its way. Who asked may give up first, so the last of both frees it.
typedef struct {
	GMutex lock;
	GCond came;
	int held;
	gboolean done;
	GByteArray *png;
	char *why;
} photo;

static void release(photo *p)
{
	g_mutex_lock(&p->lock);
	gboolean last = --p->held == 0;
	g_mutex_unlock(&p->lock);
	if (!last)
		return;
	g_byte_array_unref(p->png);
	g_free(p->why);
	g_mutex_clear(&p->lock);
	g_cond_clear(&p->came);
	g_free(p);
}

// Ends the window's part of a picture; why is NULL for one that is whole.
static void finish(photo *p, const char *why)
{
	g_mutex_lock(&p->lock);
	p->why = g_strdup(why);
	p->done = TRUE;
	g_cond_signal(&p->came);
	g_mutex_unlock(&p->lock);
	release(p);
}

static void find(GtkWidget *widget, gpointer found)
{
	if (*(GtkWidget **)found != NULL)
		return;
	if (WEBKIT_IS_WEB_VIEW(widget))
		*(GtkWidget **)found = widget;
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find, found);
}

static cairo_status_t append(void *png, const unsigned char *bytes, unsigned int length)
{
	g_byte_array_append(png, bytes, length);
	return CAIRO_STATUS_SUCCESS;
}

static void taken(GObject *view, GAsyncResult *result, gpointer data)
{
	photo *p = data;
	GError *error = NULL;
	cairo_surface_t *surface = webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(view), result, &error);
	if (surface == NULL) {
		finish(p, error != NULL ? error->message : "it gave no picture");
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
		find(GTK_WIDGET(l->data), &view);
	g_list_free(windows);
	if (view == NULL)
		finish(data, "there is no page in it");
	else
		webkit_web_view_get_snapshot(WEBKIT_WEB_VIEW(view), WEBKIT_SNAPSHOT_REGION_VISIBLE,
			WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, taken, data);
	return G_SOURCE_REMOVE;
}

// photograph waits for a picture of the window's page for so many milliseconds. It returns its PNG, or NULL
// and why not; both are the caller's to free.
static void *photograph(int patience, int *size, char **why)
{
	photo *p = g_new0(photo, 1);
	g_mutex_init(&p->lock);
	g_cond_init(&p->came);
	p->held = 2;
	p->png = g_byte_array_new();
	g_idle_add(take, p);
	gint64 end = g_get_monotonic_time() + (gint64)patience * G_TIME_SPAN_MILLISECOND;
	void *png = NULL;
	g_mutex_lock(&p->lock);
	while (!p->done && g_cond_wait_until(&p->came, &p->lock, end))
		;
	if (!p->done)
		*why = strdup("it does not answer");
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

// photoLimit is how long the window may take to draw a picture of itself.
const photoLimit = 5 * time.Second

// photograph is a picture of what the window shows, as PNG. It blocks until GTK's main loop has it, or for
// photoLimit.
func photograph(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("taking a picture of the window: %w", err)
	}
	var size C.int
	var why *C.char
	png := C.photograph(C.int(photoLimit.Milliseconds()), &size, &why)
	if png == nil {
		defer C.free(unsafe.Pointer(why))
		return nil, fmt.Errorf("taking a picture of the window: %s", C.GoString(why))
	}
	defer C.free(png)
	return C.GoBytes(png, size), nil
}
