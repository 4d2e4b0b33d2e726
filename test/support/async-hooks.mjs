/**
 * Loaded before `node:test`, whose runner follows every promise from its creation to its collection, in order to know which test a call
 * of `test()` or a stray error belongs to. That costs a fifth of the processor time of tests within one process. It is needed while
 * files are loaded: `test/support/group.mjs` ends it then.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
let runner

asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  runner = createHook(callbacks)
  return runner
}

/** Ends what the runner of tests follows. */
export const followNoMore = () => runner?.disable()
