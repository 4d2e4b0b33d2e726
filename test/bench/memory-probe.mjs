/** Preloaded into a server under measurement: collects garbage and answers with its memory when its parent asks. Needs --expose-gc. */
process.on('message', (message) => {
  if (message !== 'memory') return
  globalThis.gc?.()
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  process.send?.({ heapUsed, external, arrayBuffers, rss })
})
process.channel?.unref()
