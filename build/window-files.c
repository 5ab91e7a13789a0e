// Stands in for a file manager in the window test: a square in the corner of the display from which files can be
// dragged, and a picture on the clipboard. Usage: window-files PICTURE FILE
#include <gtk/gtk.h>

static const char *dragged;

static void send_file(GtkWidget *widget, GdkDragContext *context, GtkSelectionData *data, guint info, guint time,
                      gpointer unused) {
  char *uris[] = {g_filename_to_uri(dragged, NULL, NULL), NULL};
  gtk_selection_data_set_uris(data, uris);
  g_free(uris[0]);
}

int main(int argc, char **argv) {
  gtk_init(&argc, &argv);
  if (argc != 3) {
    g_printerr("usage: window-files PICTURE FILE\n");
    return 2;
  }
  dragged = argv[2];
  GError *error = NULL;
  GdkPixbuf *picture = gdk_pixbuf_new_from_file(argv[1], &error);
  if (!picture) {
    g_printerr("%s\n", error->message);
    return 1;
  }
  gtk_clipboard_set_image(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), picture);

  GtkWidget *window = gtk_window_new(GTK_WINDOW_POPUP);
  gtk_window_set_default_size(GTK_WINDOW(window), 40, 40);
  gtk_window_move(GTK_WINDOW(window), 0, 0);
  gtk_widget_add_events(window, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK);
  gtk_drag_source_set(window, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_source_add_uri_targets(window);
  g_signal_connect(window, "drag-data-get", G_CALLBACK(send_file), NULL);
  gtk_widget_show_all(window);
  g_print("ready\n");
  gtk_main();
}
