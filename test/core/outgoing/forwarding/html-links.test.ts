import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkRewriter } from '../../../../core/outgoing/forwarding/html-links.ts'
import { createLinks } from '../../../../core/outgoing/forwarding/links.ts'
import { cleanPath, escapePath } from '../../../../core/outgoing/forwarding/paths.ts'

const prefix = '/api/v1/namespaces/a/services/b/proxy'
const links = createLinks(prefix, '10.0.0.7:80', 'api.example:6443')

function rewritten(html: string, size = html.length): string {
  const rewriter = new LinkRewriter((link) => links.rewrite(link))
  let out = ''
  for (let at = 0; at < html.length; at += size) out += rewriter.push(html.slice(at, at + size))
  return out + rewriter.end()
}

/** Links of the reference's transport_test.go and what they become. */
test('absolute paths, and those of the backend, lead through the server', () => {
  const expected: readonly (readonly [string, string])[] = [
    ['/x', `${prefix}/x`],
    ['/x/?a=/b#c', `${prefix}/x/?a=/b#c`],
    ['/', `${prefix}/`],
    ['http://10.0.0.7:80/x', `${prefix}/x`],
    ['//10.0.0.7:80/x', `${prefix}/x`],
    ['https://api.example:6443/x', `https://api.example:6443${prefix}/x`],
    [`${prefix}/y`, `${prefix}/y`],
    ['x', 'x'],
    ['../x', '../x'],
    ['?a', '?a'],
    ['#a', '#a'],
    ['', ''],
    ['mailto:a@b', 'mailto:a@b'],
    ['javascript:a()', 'javascript:a()'],
    ['http://elsewhere.example/x', 'http://elsewhere.example/x'],
    ['//elsewhere.example/x', '//elsewhere.example/x'],
    ['http://user@10.0.0.7:80/x', 'http://user@10.0.0.7:80/x'],
  ]
  for (const [link, changed] of expected) assert.equal(links.rewrite(link), changed, link)
})

const documents: readonly (readonly [html: string, changed: string])[] = [
  ['<a href="/x">', `<a href="${prefix}/x">`],
  ["<A class=b HREF = '/x' >/x</A>", `<A class=b HREF = '${prefix}/x' >/x</A>`],
  ['<img src=/x/y.png/>', `<img src=${prefix}/x/y.png/>`],
  ['<img alt="<a href=/no>" longdesc="/x" src="/y">', `<img alt="<a href=/no>" longdesc="${prefix}/x" src="${prefix}/y">`],
  ['<a data-href="/no" title="href=/no" hreflang=/no>', '<a data-href="/no" title="href=/no" hreflang=/no>'],
  ['<p href="/no">', '<p href="/no">'],
  ['<!-- <a href="/no"> --><a href="/x">', `<!-- <a href="/no"> --><a href="${prefix}/x">`],
  ['<script src="/x">"<a href=/no>"</script><a href=/y>', `<script src="${prefix}/x">"<a href=/no>"</script><a href=${prefix}/y>`],
  ['<textarea><a href="/no"></TEXTAREA><a href="/x">', `<textarea><a href="/no"></TEXTAREA><a href="${prefix}/x">`],
  ['<style>a < b</style>', '<style>a < b</style>'],
  ['1 < 2 <3 <a href=/x>', `1 < 2 <3 <a href=${prefix}/x>`],
  ['<a href="/x', '<a href="/x'],
  ['<a href=/x\u00e4\u0080>\u00ff', `<a href=${prefix}/x\u00e4\u0080>\u00ff`],
  ['<', '<'],
  ['<!', '<!'],
  ['</script', '</script'],
  ['<br/><a\n\thref\n=\n"/x"\n>', `<br/><a\n\thref\n=\n"${prefix}/x"\n>`],
]

test('links in HTML are changed, and nothing else, in pieces of any size', () => {
  for (const [html, changed] of documents) {
    for (let size = 1; size <= html.length; size++) assert.equal(rewritten(html, size), changed, `${html} in pieces of ${size}`)
  }
  const all = documents.filter(([html]) => html.endsWith('>')).map(([html]) => html)
  const whole = documents.filter(([html]) => html.endsWith('>')).map(([, changed]) => changed)
  for (const size of [1, 7, 64, 1000]) assert.equal(rewritten(all.join(''), size), whole.join(''))
})

test('a tag without an end is not held back for ever', () => {
  const rewriter = new LinkRewriter((link) => links.rewrite(link))
  let out = ''
  for (let i = 0; i < 20_000; i++) out += rewriter.push(i === 0 ? '<a href="' : '>x')
  assert.ok(out.length > 20_000)
  out += rewriter.end()
  assert.equal(out.length, '<a href="'.length + 2 * 19_999)
})

test('paths are cleaned and escaped as Go does', () => {
  const expected = [
    ['', ''],
    ['/', '/'],
    ['/a/../../b', '/b'],
    ['/a//b/./c/', '/a/b/c/'],
    ['/..', '/'],
  ] as const
  for (const [path, clean] of expected) assert.equal(cleanPath(path), clean)
  assert.equal(escapePath("/a b?c#d!'()*%$&+,:;=@~"), '/a%20b%3Fc%23d%21%27%28%29%2A%25$&+,:;=@~')
})
