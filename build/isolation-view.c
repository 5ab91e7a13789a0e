// A plain window with the engine of the real one but without Sextant, as the control in build/isolation-test.sh.
// It shows the address in its argument until it is killed.
#include <webkit2/webkit2.h>

int main(int count, char **words)
{
	if (count != 2 || !gtk_init_check(NULL, NULL))
		return 2;
	GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
	GtkWidget *view = webkit_web_view_new();
	webkit_settings_set_hardware_acceleration_policy(webkit_web_view_get_settings(WEBKIT_WEB_VIEW(view)),
		WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER);
	gtk_container_add(GTK_CONTAINER(window), view);
	webkit_web_view_load_uri(WEBKIT_WEB_VIEW(view), words[1]);
	gtk_widget_show_all(window);
	gtk_main();
	return 0;
}
