/** A text that begins as a sentence does; a name in code (`tool_name …`) stays as it is. */
export function sentenceCase(text: string): string {
  return /^\p{Ll}[\p{L}’'-]*(\s|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
