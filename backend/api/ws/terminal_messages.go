package ws

import (
	"encoding/json"
	"fmt"

	"sextant/shared/wire"
)

func (c *terminalConn) handleMessage(data []byte) error {
	var m wire.TerminalMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return errProtocol
	}
	all := c.server.terminals
	switch m.Kind {
	case "open":
		tab, err := all.Open(m.Columns, m.Rows)
		if err == nil {
			c.send(message{update: &wire.TerminalUpdate{Kind: "opened", Tab: tab.Number()}})
		}
		return err
	case "stop":
		return all.Stop(m.Tab)
	case "again":
		return all.Restart(m.Tab)
	case "close":
		c.unwatch(m.Tab)
		return all.CloseTab(m.Tab)
	case "resize":
		all.Resize(m.Tab, m.Columns, m.Rows)
	case "share":
		return all.SetShared(m.Tab, m.Shared)
	case "watch":
		return c.watch(m.Tab)
	case "leave":
		c.unwatch(m.Tab)
	case "drawn":
		if w, ok := c.watched[m.Tab]; ok {
			w.watcher.Acknowledge(m.Bytes)
		}
	default:
		return fmt.Errorf("unknown message kind %q", m.Kind)
	}
	return nil
}
