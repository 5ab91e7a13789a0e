/** An amount of money, in billionths of the currency's unit. */
export interface Amount {
  nanos: number;
  currency?: string;
}

/** Formats an amount: "1.25 USD", with more digits below a tenth ("0.046 USD"), and "0" for zero. */
export function formatMoney({ nanos, currency = '' }: Amount): string {
  if (nanos === 0) return '0';
  const value = nanos / 1e9;
  if (value < 1e-6) return `under 0.000001 ${currency}`.trim();
  let digits = 2;
  for (let limit = 0.1; value < limit && digits < 6; limit /= 10) digits++;
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${currency}`.trim();
}
