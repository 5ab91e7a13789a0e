// Stands in for a file manager in the window test: a square in the corner of the display from which FILE can be
// dragged, and PICTURE on the clipboard. After SIGUSR1, COPIED is on the clipboard as file managers copy a file: its
// address, and its path as text. Usage: window-files PICTURE FILE COPIED
#include <glib-unix.h>
#include <gtk/gtk.h>

static const char *dragged, *copied;

static void send_file(GtkWidget *widget, GdkDragContext *context, GtkSelectionData *data, guint info, guint time,
                      gpointer unused) {
  char *uris[] = {g_filename_to_uri(dragged, NULL, NULL), NULL};
  gtk_selection_data_set_uris(data, uris);
  g_free(uris[0]);
}

static void send_copied(GtkClipboard *clipboard, GtkSelectionData *data, guint info, gpointer unused) {
  char *uris[] = {g_filename_to_uri(copied, NULL, NULL), NULL};
  if (!gtk_selection_data_set_uris(data, uris))
    gtk_selection_data_set_text(data, copied, -1);
  g_free(uris[0]);
}

static void clear_copied(GtkClipboard *clipboard, gpointer unused) {}

static gboolean copy_file(gpointer unused) {
  GtkTargetList *list = gtk_target_list_new(NULL, 0);
  gtk_target_list_add_uri_targets(list, 0);
  gtk_target_list_add_text_targets(list, 0);
  int count;
  GtkTargetEntry *targets = gtk_target_table_new_from_list(list, &count);
  gtk_clipboard_set_with_data(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), targets, count, send_copied, clear_copied, NULL);
  gtk_target_table_free(targets, count);
  gtk_target_list_unref(list);
  return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
  gtk_init(&argc, &argv);
  if (argc != 4) {
    g_printerr("usage: window-files PICTURE FILE COPIED\n");
    return 2;
  }
  dragged = argv[2];
  copied = argv[3];
  g_unix_signal_add(SIGUSR1, copy_file, NULL);
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
