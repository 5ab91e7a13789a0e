/** Widths of regions in pixels: least, most and first. */
export const ASSISTANT = { least: 340, most: 720, first: 416 };
export const STAGE_LEAST = 480;
export const MARKS = { least: 180, most: 360, first: 218 };

interface Kept {
  assistant: number;
  open: boolean;
  marks: boolean;
  marksWidth: number;
}

/** Sizes and what is open, kept from window to window. */
export class Layout {
  assistant = $state(ASSISTANT.first);
  /** Whether the assistant is open (else a rail). */
  open = $state(true);
  marks = $state(true);
  marksWidth = $state(MARKS.first);
  /** Whether the list lies over the page, where there is no room beside it. */
  marksOver = $state(false);
  /** Width of the window. */
  width = $state(typeof innerWidth === 'number' ? innerWidth : 1280);

  /** Keeps sizes, as text that `restore` reads. */
  onkeep: (kept: string) => void = () => {};

  constructor() {
    if (this.over) this.open = false;
  }

  /** Takes what was kept; what cannot be read is as if nothing were. */
  restore(text: string): void {
    try {
      const kept = JSON.parse(text || '{}') as Partial<Kept>;
      if (Number.isFinite(kept.assistant)) this.assistant = clamp(kept.assistant ?? 0, ASSISTANT.least, ASSISTANT.most);
      if (Number.isFinite(kept.marksWidth)) this.marksWidth = clamp(kept.marksWidth ?? 0, MARKS.least, MARKS.most);
      this.open = (kept.open ?? true) && !this.over;
      this.marks = kept.marks ?? true;
    } catch {
      return;
    }
  }

  /** Under 1,000 px the assistant slides over the stage. */
  get over(): boolean {
    return this.width < 1000;
  }

  /** The most the assistant may take without hiding the stage. */
  get most(): number {
    return Math.max(ASSISTANT.least, Math.min(ASSISTANT.most, this.width - STAGE_LEAST - 60));
  }

  get shown(): number {
    return Math.min(this.assistant, this.over ? this.width - 60 : this.most);
  }

  resize(width: number): void {
    this.assistant = clamp(width, ASSISTANT.least, this.most);
    this.keep();
  }

  toggle(): void {
    this.open = !this.open;
    this.keep();
  }

  toggleMarks(): void {
    this.marks = !this.marks;
    this.keep();
  }

  keep(): void {
    const { assistant, open, marks, marksWidth } = this;
    this.onkeep(JSON.stringify({ assistant, open: this.over ? true : open, marks, marksWidth }));
  }
}

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
