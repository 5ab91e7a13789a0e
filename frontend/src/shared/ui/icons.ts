// The symbols of IconSheet.svelte.
const NAMES = `
  alert back brand cbox check clip clock code copy cpu diff down download drop errc file folder fwd gear globe hand
  hist home input kb key laptop link list lock more note pen pin play plug plus reload right search shield
  shieldw side square star stop tag term tools trash undo up x
`;

/** Names an Icon can have. */
export const icons: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));
