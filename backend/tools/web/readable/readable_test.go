package readable

import (
	"strings"
	"testing"
)

func TestSourceLeavesOutHiddenParts(t *testing.T) {
	t.Parallel()
	text, _, err := ExtractHTML(`<html><head><title>T</title><style>p{}</style></head><body><h1>Lamps</h1><p>Seen <a href="/a">here</a></p>
		<script>alert(1)</script><div hidden>one</div><div style="Display : none">two</div><p style="visibility:hidden">three</p>
		<template>four</template><noscript><p>Without scripts</p></noscript><iframe src=x>five</iframe></body></html>`, "https://shop.example/", "markdown")
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Lamps\n\nSeen [here](https://shop.example/a)"; !strings.HasPrefix(text, want) {
		t.Errorf("got %q, want it to begin with %q", text, want)
	}
	for _, hidden := range []string{"alert", "one", "two", "three", "four", "five"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%q is read: %s", hidden, text)
		}
	}
	if !strings.Contains(text, "Without scripts") {
		t.Errorf("the text of noscript is missing: %s", text)
	}
}

func TestPageKeepsTables(t *testing.T) {
	t.Parallel()
	text, _, err := ExtractPage(`<body><p>One</p><table><tr><th>a<th>b<tr><td>1<td>2</table></body>`, "https://shop.example/",
		"markdown")
	if err != nil || !strings.Contains(text, "| 1 | 2 |") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestTextKeepsColumnsAndPictures(t *testing.T) {
	t.Parallel()
	const source = `<table><tr><th>What<th>Plan<th>Spent<tr><td>Rent<td><td>500<tr><td><img alt="Food" src="f.png"><td>200<td></table>` +
		`<p>See <img alt="a lamp">`
	for format, want := range map[string]string{
		"text":     "What\tPlan\tSpent\nRent\t-\t500\n[picture: Food]\t200\t-\n\nSee [picture: a lamp]",
		"markdown": "See [picture: a lamp]",
	} {
		got, _, err := ExtractPage(source, "https://x.example/", format)
		if err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, %v", format, got, err)
		}
	}
}
