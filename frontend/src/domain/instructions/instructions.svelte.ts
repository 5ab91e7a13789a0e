import type { FolderText, PromptAdditions } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** The folder of the instructions that hold in all folders. */
export const EVERYWHERE = '';

/** The person's own instructions and the prompt notes of the assistant. */
export class Instructions extends RemoteValue<PromptAdditions> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.instructions());
  }

  /** The folder that the assistant works in. */
  get folder(): string {
    return this.value?.folder ?? '';
  }

  /** Instructions for folders that the assistant does not work in now. */
  get elsewhere(): FolderText[] {
    return (this.value?.instructions ?? []).filter(({ folder }) => folder !== EVERYWHERE && folder !== this.folder);
  }

  get notes(): string[] {
    return this.value?.notes ?? [];
  }

  text(folder: string): string {
    return this.value?.instructions?.find((entry) => entry.folder === folder)?.text ?? '';
  }

  /** Saves the instructions for a folder. An empty text removes them. Returns the error, "" on success. */
  async save(folder: string, text: string): Promise<string> {
    return this.#try(this.actions.backend.setInstructions(folder, text));
  }

  /** Replaces a prompt note. An empty text removes it. Returns the error, "" on success. */
  async saveNote(note: string, text: string): Promise<string> {
    return this.#try(this.actions.backend.replacePromptNote(note, text));
  }

  async #try(request: Promise<PromptAdditions>): Promise<string> {
    try {
      this.set(await request);
      return '';
    } catch (error) {
      return failureText(error);
    }
  }
}
