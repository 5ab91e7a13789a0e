import type { CreatedTool } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** The created tools. */
export class CreatedTools extends RemoteValue<CreatedTool[]> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.created());
  }

  get list(): CreatedTool[] {
    return this.value ?? [];
  }

  /** Enables the shown version of a disabled tool. Returns false when that failed. */
  async enable(tool: CreatedTool): Promise<boolean> {
    return this.change(this.actions.backend.enableTool(tool.name, tool.version));
  }

  async delete(tool: CreatedTool): Promise<boolean> {
    return this.change(this.actions.backend.deleteTool(tool.name));
  }
}
