// Package input sends trusted mouse and keyboard events through the browser's own input path, as if they came from a
// person's devices. Points are in CSS pixels of the top page's viewport. The package does not know which element is
// at a point, or whether it received the event.
package input

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"sextant/shared/wire"
)

// MousePress says how to press the mouse.
type MousePress struct {
	// Button is left, middle or right; "" is left.
	Button string
	// Count is 1 (or 0) for a click, 2 for a double-click, 3 for a triple-click.
	Count int
	// Modifiers is a bit set of Alt, Control, Meta and Shift.
	Modifiers int
}

// IsLeft reports whether the press is one of the left button.
func (p MousePress) IsLeft() bool { return p.Button == "" || p.Button == "left" }

func button(name string) (proto.InputMouseButton, error) {
	switch name {
	case "", "left":
		return proto.InputMouseButtonLeft, nil
	case "middle":
		return proto.InputMouseButtonMiddle, nil
	case "right":
		return proto.InputMouseButtonRight, nil
	}
	return "", fmt.Errorf("unknown button %q; there are left, middle, right", name)
}

// Move moves the mouse to a point.
func Move(c proto.Client, x, y float64, modifiers int) error {
	err := proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseMoved, X: x, Y: y, Modifiers: modifiers,
	}.Call(c)
	if err != nil {
		return fmt.Errorf("moving the mouse: %w", err)
	}
	return nil
}

// Sender sends requests and waits for all answers.
type Sender interface {
	Send(ctx context.Context, reqs ...proto.Request) error
}

// Click moves the mouse to a point, presses and releases there. It does not wait between these events; the browser has
// handled them when Click returns.
func Click(ctx context.Context, s Sender, x, y float64, p MousePress) error {
	b, err := button(p.Button)
	if err != nil {
		return err
	}
	reqs := []proto.Request{proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseMoved, X: x, Y: y, Modifiers: p.Modifiers,
	}}
	for n := 1; n <= max(p.Count, 1); n++ {
		for _, kind := range []proto.InputDispatchMouseEventType{
			proto.InputDispatchMouseEventTypeMousePressed, proto.InputDispatchMouseEventTypeMouseReleased,
		} {
			reqs = append(reqs, proto.InputDispatchMouseEvent{
				Type: kind, X: x, Y: y, Button: b, ClickCount: n, Modifiers: p.Modifiers,
			})
		}
	}
	if err := s.Send(ctx, reqs...); err != nil {
		return fmt.Errorf("pressing the mouse: %w", err)
	}
	return nil
}

// PressMouse presses a mouse button at a point. The mouse must be there already.
func PressMouse(c proto.Client, x, y float64, p MousePress) error {
	return pressButton(c, proto.InputDispatchMouseEventTypeMousePressed, x, y, p)
}

// ReleaseMouse releases the mouse button that PressMouse pressed.
func ReleaseMouse(c proto.Client, x, y float64, p MousePress) error {
	return pressButton(c, proto.InputDispatchMouseEventTypeMouseReleased, x, y, p)
}

func pressButton(c proto.Client, kind proto.InputDispatchMouseEventType, x, y float64, p MousePress) error {
	b, err := button(p.Button)
	if err != nil {
		return err
	}
	e := proto.InputDispatchMouseEvent{
		Type: kind, X: x, Y: y, Button: b, ClickCount: max(p.Count, 1), Modifiers: p.Modifiers,
	}
	if err := e.Call(c); err != nil {
		return fmt.Errorf("pressing the mouse: %w", err)
	}
	return nil
}

// MoveHeld moves the mouse to a point while the left button is held.
func MoveHeld(c proto.Client, x, y float64, modifiers int) error {
	held := 1
	err := proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseMoved, X: x, Y: y, Modifiers: modifiers,
		Button: proto.InputMouseButtonLeft, Buttons: &held,
	}.Call(c)
	if err != nil {
		return fmt.Errorf("dragging: %w", err)
	}
	return nil
}

// TurnWheel turns the mouse wheel at a point, by dx CSS pixels to the right and dy down.
func TurnWheel(c proto.Client, x, y, dx, dy float64) error {
	e := proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: dx, DeltaY: dy,
	}
	if err := e.Call(c); err != nil {
		return fmt.Errorf("turning the mouse wheel: %w", err)
	}
	return nil
}

// CheckKey returns an error when combo, such as "Control+a", is not a key.
func CheckKey(combo string) error {
	_, err := parse(combo)
	return err
}

// PressKey presses and releases a key such as "Enter", "a" or "Control+a".
func PressKey(c proto.Client, combo string) error {
	s, err := parse(combo)
	if err != nil {
		return err
	}
	held := 0
	for _, k := range s.held {
		_, bit, _ := modifier(k.Key)
		held |= bit
		if err := dispatch(c, proto.InputDispatchKeyEventTypeRawKeyDown, k, "", held); err != nil {
			return err
		}
	}
	down := proto.InputDispatchKeyEventTypeRawKeyDown
	if s.text != "" {
		down = proto.InputDispatchKeyEventTypeKeyDown
	}
	if err := dispatch(c, down, s.info, s.text, s.modifiers); err != nil {
		return err
	}
	if err := dispatch(c, proto.InputDispatchKeyEventTypeKeyUp, s.info, "", s.modifiers); err != nil {
		return err
	}
	for i := len(s.held) - 1; i >= 0; i-- {
		_, bit, _ := modifier(s.held[i].Key)
		held &^= bit
		if err := dispatch(c, proto.InputDispatchKeyEventTypeKeyUp, s.held[i], "", held); err != nil {
			return err
		}
	}
	return nil
}

func dispatch(c proto.Client, kind proto.InputDispatchKeyEventType, k input.KeyInfo, text string, modifiers int) error {
	e := proto.InputDispatchKeyEvent{
		Type: kind, Key: k.Key, Code: k.Code, WindowsVirtualKeyCode: k.KeyCode,
		NativeVirtualKeyCode: k.KeyCode, Text: text, UnmodifiedText: text, Modifiers: modifiers,
	}
	if k.Location == 3 {
		e.IsKeypad = true
	} else if k.Location != 0 {
		e.Location = &k.Location
	}
	if err := e.Call(c); err != nil {
		return fmt.Errorf("pressing a key: %w", err)
	}
	return nil
}

// InsertText inserts text at the cursor at once, like a paste or an input method. The page gets one input event and
// no key events.
func InsertText(c proto.Client, text string) error {
	if err := (proto.InputInsertText{Text: text}).Call(c); err != nil {
		return fmt.Errorf("typing: %w", err)
	}
	return nil
}

// TypeText types text key by key, with a short, uneven pause between keys when slowly is true. It inserts characters
// that have no key.
func TypeText(ctx context.Context, c proto.Client, text string, slowly bool) error {
	n := 0
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		var err error
		switch {
		case r == '\n':
			err = PressKey(c, "Enter")
		case r == '\t':
			err = PressKey(c, "Tab")
		default:
			if info, ok := character(r); ok {
				err = typeRune(c, info, r)
			} else {
				err = InsertText(c, string(r))
			}
		}
		if err != nil {
			return err
		}
		if !slowly {
			continue
		}
		n++
		pause := time.NewTimer(time.Duration(25+(n*37)%45) * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("typing: %w", context.Cause(ctx))
		}
	}
	return nil
}

func typeRune(c proto.Client, info input.KeyInfo, r rune) error {
	held := 0
	if _, shifted := input.Key(r).Shift(); !shifted && (r >= 'A' && r <= 'Z') {
		held = ModShift
	}
	if err := dispatch(c, proto.InputDispatchKeyEventTypeKeyDown, info, string(r), held); err != nil {
		return err
	}
	return dispatch(c, proto.InputDispatchKeyEventTypeKeyUp, info, "", held)
}

// Dispatch sends the person's input on the live picture to the page.
func Dispatch(c proto.Client, in wire.Input) error {
	switch in.Type {
	case "down", "up", "move", "wheel":
		return mouse(c, in)
	case "text":
		return InsertText(c, in.Text)
	case "keydown", "keyup":
		return key(c, in)
	}
	return fmt.Errorf("unknown input %q", in.Type)
}

func mouse(c proto.Client, in wire.Input) error {
	e := proto.InputDispatchMouseEvent{X: in.X, Y: in.Y, Modifiers: in.Modifiers}
	switch in.Type {
	case "down":
		e.Type = proto.InputDispatchMouseEventTypeMousePressed
	case "up":
		e.Type = proto.InputDispatchMouseEventTypeMouseReleased
	case "move":
		e.Type = proto.InputDispatchMouseEventTypeMouseMoved
	case "wheel":
		e.Type, e.DeltaX, e.DeltaY = proto.InputDispatchMouseEventTypeMouseWheel, in.DX, in.DY
	}
	if in.Type == "down" || in.Type == "up" || (in.Type == "move" && in.Button != "") {
		b, err := button(in.Button)
		if err != nil {
			return err
		}
		e.Button, e.ClickCount = b, min(max(in.Count, 1), 3)
		if in.Type == "move" {
			bits := map[proto.InputMouseButton]int{"left": 1, "right": 2, "middle": 4}[b]
			e.Buttons = &bits
			e.ClickCount = 0
		}
	}
	if err := e.Call(c); err != nil {
		return fmt.Errorf("passing the mouse on: %w", err)
	}
	return nil
}

func key(c proto.Client, in wire.Input) error {
	info := input.KeyInfo{Key: in.Key, Code: in.Code}
	text := ""
	if k, ok := named(in.Key); ok {
		info = k.Info()
		text = plain(info)
	} else if k, _, ok := modifier(in.Key); ok {
		info = k.Info()
	} else if r := []rune(in.Key); len(r) == 1 {
		text = in.Key
		if known, ok := character(r[0]); ok {
			info = known
		}
	}
	s := keyStroke{info: info, text: text, modifiers: in.Modifiers &^ ModShift}.finish()
	kind := proto.InputDispatchKeyEventTypeKeyUp
	switch {
	case in.Type == "keydown" && s.text != "":
		kind = proto.InputDispatchKeyEventTypeKeyDown
	case in.Type == "keydown":
		kind = proto.InputDispatchKeyEventTypeRawKeyDown
	}
	if kind == proto.InputDispatchKeyEventTypeKeyUp {
		s.text = ""
	}
	return dispatch(c, kind, s.info, s.text, in.Modifiers)
}
