import { Batches } from '../../../domain/batches/batches.svelte';
import { useController } from '../../context';

let shared: Batches | undefined;

/** Returns the batches of the window, which are not part of its first load. Call it like useController. */
export function useBatches(): Batches {
  return (shared ??= new Batches(useController('actions')));
}
