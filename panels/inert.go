package panels

// InertTools returns the tools of built-in panels that have no effects of their own: they make calls of other tools,
// end something that their caller started, or reduce what their caller may do.
func InertTools() []string {
	return []string{"terminal_run", "terminal_stop", "tool_switch", "mcp_server_toggle"}
}
