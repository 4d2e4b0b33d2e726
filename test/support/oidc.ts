/** An OpenID provider as a child process, and logins of users. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { root } from './root.ts'
import { within } from './wait.ts'

export interface OidcProvider {
  readonly issuer: string
  /** PEM of its CA. */
  readonly ca: string
  /** Audience of its tokens. */
  readonly clientId: string
  /** An ID token of a user, by the implicit flow (OpenID Connect Core 1.0, 3.2). */
  login(user: string): Promise<string>
  tell(action: 'listen' | 'down' | 'rotate' | 'withdraw' | 'count'): Promise<unknown>
  /** Sets the claims of users from now on. */
  say(claims: object): Promise<unknown>
  stop(): Promise<void>
}

const clientId = 'kubectl'
const maxSteps = 10

interface Step {
  readonly location: string
  readonly cookies: readonly string[]
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const authority = issueAuthority('authority of the provider', newKey(), Date.now())
  const certificate = issue(authority, { commonName: 'provider', names: ['127.0.0.1'] }, Date.now())
  const child = fork(`${root}test/support/oidc-provider.mjs`, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  let turn: Promise<unknown> = Promise.resolve()

  function tell(action: string, argument?: unknown): Promise<unknown> {
    const ask = async () => {
      const answered = once(child, 'message')
      child.send({ action, argument })
      const [{ value, error }] = (await within(`${action} of the provider`, answered)) as [{ value?: unknown; error?: string }]
      if (error !== undefined) throw new Error(error)
      return value
    }
    const answer = turn.then(ask)
    turn = answer.catch(() => undefined)
    return answer
  }

  const port = await tell('listen', { key: certificate.keyPem, cert: certificate.certPem })
  const issuer = `https://127.0.0.1:${port}`

  const step = (url: string, cookie: string): Promise<Step> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { ca: authority.certPem, agent: false, headers: { cookie } }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.on('end', () => {
          const { location, 'set-cookie': cookies = [] } = response.headers
          if (location === undefined) reject(new Error(`${url}: ${response.statusCode} ${body.slice(0, 500)}`))
          else resolve({ location: new URL(location, url).href, cookies })
        })
      })
      outgoing.on('error', reject)
      outgoing.end()
    })

  return {
    issuer,
    ca: authority.certPem,
    clientId,
    tell: (action) => tell(action),
    say: (claims) => tell('claims', claims),
    async login(user) {
      const query = {
        client_id: clientId,
        response_type: 'id_token',
        scope: 'openid',
        nonce: 'n',
        login_hint: user,
        redirect_uri: 'https://client.example/back',
      }
      const jar = new Map<string, string>()
      let url = `${issuer}/auth?${new URLSearchParams(query)}`
      for (let steps = 0; steps < maxSteps; steps++) {
        const { location, cookies } = await step(url, [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
        for (const cookie of cookies) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          if (value === '') jar.delete(name)
          else jar.set(name, value)
        }
        const token = new URLSearchParams(new URL(location).hash.slice(1)).get('id_token')
        if (token !== null) return token
        if (!location.startsWith(issuer)) throw new Error(`the provider refused: ${location}`)
        url = location
      }
      throw new Error('too many steps in the login')
    },
    async stop() {
      child.disconnect()
      await within('end of the provider', ended).catch(() => child.kill('SIGKILL'))
    },
  }
}
