/** Milliseconds of processor time of this process and, on Linux, of its finished child processes. */
export function processorTime(): { readonly own: number; readonly children: number }
