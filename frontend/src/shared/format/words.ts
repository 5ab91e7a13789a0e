/** Capitalizes the first letter, unless the first word contains other characters than letters, as `tool_name` does. */
export function sentenceCase(text: string): string {
  return /^\p{Ll}[\p{L}’'-]*(\s|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
