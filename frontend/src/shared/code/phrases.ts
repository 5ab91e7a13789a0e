import { t } from '../i18n';

/** Returns the window's messages for the texts of CodeMirror's search. */
export function findPhrases(): Record<string, string> {
  return {
    Find: t('find.find'),
    Replace: t('find.with'),
    next: t('find.next'),
    previous: t('find.previous'),
    all: t('find.all'),
    'match case': t('search.case'),
    regexp: t('search.regex'),
    'by word': t('find.words'),
    replace: t('find.replace'),
    'replace all': t('find.replace.all'),
    close: t('find.close'),
    'current match': t('find.current'),
    'on line': t('find.line'),
    'replaced $ matches': t('find.replaced.all'),
    'replaced match on line $': t('find.replaced'),
  };
}
