/** Service worker: keeps the page's files, so that it opens without the file server. The cluster itself is in the page. */
const files = ['./', 'tab.js']

addEventListener('install', (event) => {
  event.waitUntil(caches.open('tab').then((cache) => cache.addAll(files)))
  skipWaiting()
})
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

/** The newest files, or those that were kept. */
async function answer(request) {
  const cache = await caches.open('tab')
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(request, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(request)
    if (kept) return kept
    throw error
  }
}
addEventListener('fetch', (event) => event.respondWith(answer(event.request)))
