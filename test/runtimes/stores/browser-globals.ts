/** What the store suite uses of Node, for a browser. */

export const Buffer = {
  from: (text: string) => new TextEncoder().encode(text),
  compare(a: Uint8Array, b: Uint8Array): number {
    for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number)
    return a.length - b.length
  },
}

export const setImmediate = (work: () => void) => void setTimeout(work, 0)
