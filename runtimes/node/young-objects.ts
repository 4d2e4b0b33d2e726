import { setFlagsFromString } from 'node:v8'

/**
 * From now on V8 makes every object where short-lived ones are. Otherwise it learns, from requests that wait for a write, that such objects
 * live long, and puts those of all requests among the old ones, with all that they refer to: collecting them took half of a GET.
 * To be called when everything is loaded: compiled code is kept for the flags that hold when it is made.
 */
export function keepObjectsYoung(): void {
  const { bun, deno } = process.versions
  if (bun === undefined && deno === undefined) setFlagsFromString('--no-allocation-site-pretenuring')
}
