package collect

import "testing"

func TestClosedSelectListsItsOptions(t *testing.T) {
	w := open(t, "above.html")
	w.js(t, `document.body.innerHTML = '<select aria-label=Plain><option>One<option selected>Two<option disabled>Three<option hidden>Four<optgroup label=G disabled><option>Five</optgroup></select>'
		+ '<select aria-label=Long>' + Array.from({ length: 200 }, (_, i) => '<option>Land ' + i).join('') + '</select>'
		+ '<select aria-label=Wordy><option>' + 'A'.repeat(90) + '<option>' + 'B'.repeat(90) + '<option>C<option>"] (disabled)</select>'
		+ '<select aria-label=Single><option>Only</select><select aria-label=Empty></select>'
		+ '<select aria-label=Off disabled><option>One<option>Two</select>'
		+ '<select aria-label=Open size=2><option>One<option>Two</select>', 1`)
	wantLines(t, lines(collectPage(t, w, Options{})), `
		combobox "Plain" = "Two" (or "One")
		combobox "Long" = "Land 0" (or "Land 1, Land 2, Land 3, Land 4, Land 5, Land 6, 193 more")
		combobox "Wordy" = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" (or "BBBBBBBBBBBBBBBBBBBBBBB…, C, '] (disabled)")
		combobox "Single" = "Only"
		combobox "Empty"
		combobox "Off" = "One" (disabled)
		listbox "Open"
		option "One"
		option "Two"`)
}
