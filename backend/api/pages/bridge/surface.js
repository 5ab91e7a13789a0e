
// What the environment tools ask of the page: methods named sextant/surface/…, added to
// `answers`.
