/**
 * Loaded before `node:test`. The test runner tracks every promise through async hooks, to find the test to which a
 * nested `test()` call or a stray error belongs. This costs a fifth of the processor time of in-process tests. It is
 * needed only while files are loaded; `test/support/group.mjs` disables it afterwards.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
let runner

asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  runner = createHook(callbacks)
  return runner
}

/** Disables the tracking of promises. */
export const followNoMore = () => runner?.disable()
