// What the environment tools ask of the page: one method, implemented by the collector. That is the
// window's own script, large and seldom needed, so it is loaded at the first question. A page can
// change its answers, but only those about itself.
const here = document.currentScript?.src ?? '';
let collecting = null;

const collector = () =>
  (collecting ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('surface.js', here).href;
    script.onload = () => resolve(globalThis.__sextant);
    script.onerror = () => {
      collecting = null;
      reject(new Error('the page could not load what it is looked at with'));
    };
    (document.head ?? document.documentElement).append(script);
    script.remove();
  }));

answers['sextant/surface/do'] = async ({ name, args }) => (await collector()).do(name, args);

