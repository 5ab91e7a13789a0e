/** How an expression is expanded, by its operator (RFC 6570). */
const FORMS: Record<string, { first: string; between: string; named: boolean; raw: boolean }> = {
  '': { first: '', between: ',', named: false, raw: false },
  '+': { first: '', between: ',', named: false, raw: true },
  '#': { first: '#', between: ',', named: false, raw: true },
  '.': { first: '.', between: '.', named: false, raw: false },
  '/': { first: '/', between: '/', named: false, raw: false },
  ';': { first: ';', between: ';', named: true, raw: false },
  '?': { first: '?', between: '&', named: true, raw: false },
  '&': { first: '&', between: '&', named: true, raw: false },
};
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

const names = (list: string) => list.split(',').map((name) => name.replace(/(\*|:\d+)$/, '').trim());

/** Returns the distinct variables of a template. */
export function variableNames(template: string): string[] {
  return [...new Set([...template.matchAll(EXPRESSION)].flatMap((found) => names(found[2]!)))];
}

/** Expands a template. Variables without a value are left out. The modifiers * and :n have no effect. */
export function expandTemplate(template: string, values: Record<string, string>): string {
  return template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const form = FORMS[operator]!;
    const parts = names(list)
      .filter((name) => values[name])
      .map((name) => {
        const value = form.raw ? encodeURI(values[name]!) : encodeURIComponent(values[name]!);
        return form.named ? `${name}=${value}` : value;
      });
    return parts.length ? form.first + parts.join(form.between) : '';
  });
}
