/** The prices of a model as typed, per million tokens. */
export interface Price {
  model: string;
  input: string;
  cached: string;
  output: string;
  /** The price of cache writes; empty means the price of input. */
  written: string;
  currency: string;
}

/** Returns a new row of the price table. */
export const emptyPrice = (): Price => ({ model: '', input: '', cached: '', output: '', written: '', currency: 'USD' });

/** Parses the setting "prices". Invalid entries are skipped. */
export function parsePrices(text: string): Price[] {
  return text.split(',').flatMap((entry) => {
    const at = entry.lastIndexOf('=');
    const [, amounts, currency = 'USD'] = /^([\d./ ]*?)(?:\s+([A-Z]{3}))?\s*$/.exec(entry.slice(at + 1).trim()) ?? [];
    const [input, cached, output, written = ''] = (amounts ?? '').split('/').map((part) => part.trim());
    if (at < 0 || input === undefined || cached === undefined || output === undefined) return [];
    return [{ model: entry.slice(0, at).trim(), input, cached, output, written, currency }];
  });
}

/** Formats the setting "prices". Rows without a model are skipped. */
export function printPrices(prices: Price[]): string {
  return prices
    .filter(({ model }) => model.trim())
    .map(({ model, input, cached, output, written, currency }) => {
      const amounts = [input, cached, output, written].map((amount) => amount.trim());
      if (!amounts[3]) amounts.pop();
      return `${model.trim()}=${amounts.join('/')} ${currency.trim() || 'USD'}`;
    })
    .join(', ');
}
