/** What a model costs, as a person writes it: amounts per million tokens. */
export interface Price {
  model: string;
  input: string;
  cached: string;
  output: string;
  /** What is written to the service's cache; empty is the price of input. */
  written: string;
  currency: string;
}

/** A line to be filled in. */
export const emptyPrice = (): Price => ({ model: '', input: '', cached: '', output: '', written: '', currency: 'USD' });

/** Reads the setting; what is no price is left out, for the program takes none in. */
export function parsePrices(text: string): Price[] {
  return text.split(',').flatMap((entry) => {
    const at = entry.lastIndexOf('=');
    const [, amounts, currency = 'USD'] = /^([\d./ ]*?)(?:\s+([A-Z]{3}))?\s*$/.exec(entry.slice(at + 1).trim()) ?? [];
    const [input, cached, output, written = ''] = (amounts ?? '').split('/').map((part) => part.trim());
    if (at < 0 || input === undefined || cached === undefined || output === undefined) return [];
    return [{ model: entry.slice(0, at).trim(), input, cached, output, written, currency }];
  });
}

/** The setting of these prices; lines without a model are left out. */
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
