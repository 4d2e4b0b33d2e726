/** Every certificate that the program makes, with the TLS libraries that clients have: OpenSSL, BoringSSL, Go, rustls, Python's strict flags. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Listener, listen } from '../../../../runtimes/node/network/listener.ts'
import { issue, issueAuthority, newKey } from '../../../../runtimes/node/pki/issue.ts'
import { ensurePki } from '../../../../runtimes/node/pki/pki.ts'
import { startTestServer } from '../../../../runtimes/testing/index.ts'
import { run } from '../../../support/run.ts'
import { runtimeBinary, without } from '../../../support/runtimes.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

/** What a client is told: the address, its files, and a token. */
interface Target {
  readonly url: string
  /** PEM files; `cert` and `key` only when the client has a certificate. */
  readonly ca: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
}

interface Client {
  readonly name: string
  readonly skip: string | false
  /** Sends a GET and prints the status; fails when the certificate is refused. */
  command(target: Target): readonly [program: string, ...args: string[]]
}

const unless = (program: string, ...args: string[]) => (spawnSync(program, args).status === 0 ? false : `no ${program} on this machine`)

/** The script reads the target from its last argument, in JSON. */
const script =
  (program: string, ...before: string[]) =>
  (target: Target) =>
    [program, ...before, JSON.stringify(target)] as const

const nodeScript = `
const { url, ca, cert, key, token } = JSON.parse(process.argv.at(-1))
const read = (path) => path && require('node:fs').readFileSync(path)
const options = { ca: read(ca), cert: read(cert), key: read(key), headers: token ? { authorization: 'Bearer ' + token } : {} }
require('node:https').get(url, options, (response) => console.log(response.resume().statusCode))`
const bunScript = `
const { url, ca, cert, key, token } = JSON.parse(process.argv.at(-1))
const tls = { ca: Bun.file(ca), ...(cert && { cert: Bun.file(cert), key: Bun.file(key) }) }
console.log((await fetch(url, { tls, headers: token ? { authorization: 'Bearer ' + token } : {} })).status)`
const denoScript = `
const { url, ca, cert, key, token } = JSON.parse(Deno.args[0])
const read = (path) => Deno.readTextFileSync(path)
const client = Deno.createHttpClient({ caCerts: [read(ca)], ...(cert && { cert: read(cert), key: read(key) }) })
console.log((await fetch(url, { client, headers: token ? { authorization: 'Bearer ' + token } : {} })).status)`
const pythonScript = `
import json, ssl, sys, urllib.request
target = json.loads(sys.argv[1])
context = ssl.create_default_context(cafile=target['ca'])
context.verify_flags |= ssl.VERIFY_X509_STRICT
if 'cert' in target: context.load_cert_chain(target['cert'], target['key'])
headers = {'authorization': 'Bearer ' + target['token']} if 'token' in target else {}
print(urllib.request.urlopen(urllib.request.Request(target['url'], headers=headers), context=context).status)`
const goProgram = `package main

import ("crypto/tls"; "crypto/x509"; "encoding/json"; "fmt"; "net/http"; "os")

func check(err error) { if err != nil { fmt.Println(err); os.Exit(1) } }

func main() {
	var target struct{ URL, CA, Cert, Key, Token string }
	check(json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &target))
	pem, err := os.ReadFile(target.CA)
	check(err)
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(pem)
	if target.Cert != "" {
		pair, err := tls.LoadX509KeyPair(target.Cert, target.Key)
		check(err)
		config.Certificates = []tls.Certificate{pair}
	}
	request, err := http.NewRequest("GET", target.URL, nil)
	check(err)
	if target.Token != "" { request.Header.Set("Authorization", "Bearer " + target.Token) }
	response, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: config}}).Do(request)
	check(err)
	fmt.Println(response.StatusCode)
}
`

describe('certificates that the program makes', { timeout: 3_600_000 }, () => {
  const { path: directory, remove } = temporaryDirectory()
  after(remove)
  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const curl = ({ url, ca, cert, key, token }: Target): readonly [string, ...string[]] => [
    'curl',
    ...['--silent', '--show-error', '--output', '/dev/null', '--write-out', '%{http_code}', '--cacert', ca],
    ...(cert && key ? ['--cert', cert, '--key', key] : []),
    ...(token ? ['--header', `authorization: Bearer ${token}`] : []),
    url,
  ]
  const clients: readonly Client[] = [
    { name: 'Node (OpenSSL)', skip: false, command: script(process.execPath, '--eval', nodeScript, '--') },
    { name: 'curl (OpenSSL)', skip: unless('curl', '--version'), command: curl },
    { name: 'Bun (BoringSSL)', skip: without('bun'), command: script(runtimeBinary('bun') ?? '', '--eval', bunScript, '--') },
    {
      name: 'Deno (rustls)',
      skip: without('deno'),
      command: (target) => [runtimeBinary('deno') ?? '', 'run', '-A', '--no-lock', file('client.ts', denoScript), JSON.stringify(target)],
    },
    { name: 'Python, strict', skip: unless('python3', '-c', 'import ssl'), command: script('python3', '-c', pythonScript) },
    {
      name: 'Go',
      skip: unless('go', 'version'),
      command: (target) => ['go', 'run', file('main.go', goProgram), JSON.stringify(target)],
    },
  ]

  /** Servers with certificates that the program made; each answers 200 to what `target` says. */
  const servers: Readonly<Record<string, () => Promise<{ readonly target: Target; close(): Promise<void> }>>> = {
    async 'the test server'() {
      const server = await startTestServer({ authorizationModes: ['RBAC'] })
      const port = await server.listen({ tls: true })
      const kubeconfig = join(directory, 'kubeconfig')
      await port.writeKubeconfig(kubeconfig)
      const { clusters } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
        clusters: readonly { readonly cluster: { readonly 'certificate-authority-data': string } }[]
      }
      const ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString()
      const url = `${port.url}/api/v1/namespaces`
      return { target: { url, ca: file('test-ca.pem', ca), token: port.token }, close: () => server.close() }
    },
    async 'the daemon, with the certificate of its administrator'() {
      const certDir = join(directory, 'pki')
      mkdirSync(certDir)
      const pki = await ensurePki({ certDir, service: 'apiserver', hosts: [], ips: [] })
      const listener: Listener = await listen(
        { address: '127.0.0.1', cert: pki.serving.certPem, key: pki.serving.keyPem, clientAuthorities: [pki.clientCaPem] },
        async (_request, { tls }) => {
          const [leaf] = tls?.peerCertificates ?? []
          return new Response(null, { status: leaf && new X509Certificate(leaf).subject.includes('platform-admin') ? 200 : 401 })
        },
      )
      const own = { ca: join(certDir, 'ca.crt'), cert: join(certDir, 'admin.crt'), key: join(certDir, 'admin.key') }
      return { target: { url: `https://localhost:${listener.port}/`, ...own }, close: () => listener.close(0) }
    },
  }

  for (const [what, start] of Object.entries(servers)) {
    describe(what, () => {
      let server: Awaited<ReturnType<typeof start>>
      before(async () => {
        server = await start()
      })
      after(() => server.close())
      for (const { name, skip, command } of clients) {
        test(name, { skip }, async () => {
          const [program, ...args] = command(server.target)
          const { code, stdout, stderr } = await run(program, args, { cwd: directory }, 300_000)
          assert.deepEqual([stdout.trim(), code], ['200', 0], stderr)
        })
      }
    })
  }

  test('openssl verify finds nothing to complain about in strict mode', { skip: unless('openssl', 'version') }, async () => {
    const certDir = join(directory, 'strict')
    mkdirSync(certDir)
    await ensurePki({ certDir, service: 'apiserver', hosts: [], ips: [] })
    for (const [name, purpose] of [
      ['apiserver', 'sslserver'],
      ['admin', 'sslclient'],
    ] as const) {
      const args = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', join(certDir, 'ca.crt'), join(certDir, `${name}.crt`)]
      const { code, stdout, stderr } = await run('openssl', args)
      assert.equal(code, 0, stdout + stderr)
    }
  })

  test('a certificate with the subject of its authority is not made', () => {
    const authority = issueAuthority('same', newKey(), Date.now())
    assert.throws(() => issue(authority, { commonName: 'same' }, Date.now()), /issue certificate: same is the subject of the authority/)
  })
})
