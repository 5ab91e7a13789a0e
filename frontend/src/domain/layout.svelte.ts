/** The width of the assistant, in pixels. */
export const ASSISTANT_WIDTH = { min: 340, max: 720, initial: 416 };
const STAGE_MIN = 480;
export const MARKS_WIDTH = { min: 180, max: 360, initial: 218 };

interface SavedLayout {
  assistant: number;
  open: boolean;
  marks: boolean;
  marksWidth: number;
}

/** The width and visibility of the assistant and of the list of marks. They are saved for the next window. */
export class Layout {
  assistant = $state(ASSISTANT_WIDTH.initial);
  /** Whether the assistant is open. Otherwise only its rail is shown. */
  open = $state(true);
  marks = $state(true);
  marksWidth = $state(MARKS_WIDTH.initial);
  /** Whether the list of marks is open over the page, in a window that has no room for it beside the page. */
  marksOver = $state(false);
  /** Whether the conversation covers the stage. It is not saved. */
  reading = $state(false);
  /** The width of the window in pixels. */
  width = $state(typeof innerWidth === 'number' ? innerWidth : 1280);

  /** Called to save the layout, as text that `restore` accepts. */
  onChange: (saved: string) => void = () => {};

  constructor() {
    if (this.overlay) this.open = false;
  }

  /** Applies a saved layout. Invalid text is ignored. */
  restore(text: string): void {
    try {
      const saved = JSON.parse(text || '{}') as Partial<SavedLayout>;
      if (Number.isFinite(saved.assistant))
        this.assistant = clamp(saved.assistant ?? 0, ASSISTANT_WIDTH.min, ASSISTANT_WIDTH.max);
      if (Number.isFinite(saved.marksWidth))
        this.marksWidth = clamp(saved.marksWidth ?? 0, MARKS_WIDTH.min, MARKS_WIDTH.max);
      this.open = (saved.open ?? true) && !this.overlay;
      this.marks = saved.marks ?? true;
    } catch {
      return;
    }
  }

  /** Whether the assistant overlays the stage, as it does in windows narrower than 1,000 px. */
  get overlay(): boolean {
    return this.width < 1000;
  }

  /** The largest width of the assistant that leaves enough room for the stage, at least ASSISTANT_WIDTH.min. */
  get maxWidth(): number {
    return Math.max(ASSISTANT_WIDTH.min, Math.min(ASSISTANT_WIDTH.max, this.width - STAGE_MIN - 60));
  }

  get assistantWidth(): number {
    return Math.min(this.assistant, this.overlay ? this.width - 60 : this.maxWidth);
  }

  resize(width: number): void {
    this.assistant = clamp(width, ASSISTANT_WIDTH.min, this.maxWidth);
    this.save();
  }

  toggle(): void {
    this.open = !this.open;
    this.reading = false;
    this.save();
  }

  toggleReading(): void {
    this.reading = !this.reading;
    this.open ||= this.reading;
  }

  toggleMarks(): void {
    this.marks = !this.marks;
    this.save();
  }

  save(): void {
    const { assistant, open, marks, marksWidth } = this;
    this.onChange(JSON.stringify({ assistant, open: this.overlay ? true : open, marks, marksWidth }));
  }
}

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value));
