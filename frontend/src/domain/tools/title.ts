/** Returns the name of a tool in words: "Save pdf". */
export function toolTitle(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
