const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes: "512 B", "18 kB", "2.4 MB". */
export function formatBytes(count: number): string {
  let value = Math.max(0, count);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}
