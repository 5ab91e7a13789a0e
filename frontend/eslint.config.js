import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Three tiers: views import domain, domain imports shared, never the other way round.
const tier = (files, banned, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: banned, message }] }] },
});

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'test-results/', 'playwright-report/', 'src/shared/api/schema.gen.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    files: ['*.js', '*.config.ts', 'e2e/**'],
    languageOptions: { globals: { ...globals.node } },
  },
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 400 }],
      eqeqeq: 'error',
      'no-console': 'error',
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      // Maps and sets are local to a computation; reactive state is in plain objects.
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  tier(['src/shared/**'], ['**/domain/**', '**/views/**', '**/dev/**'], 'shared knows nothing of the app'),
  tier(['src/domain/**'], ['**/views/**', '**/dev/**'], 'a controller does not know how it is drawn'),
  tier(['src/views/**'], ['**/dev/**', '**/domain/store/reducer*'], 'views read state; only the store reduces'),
);
