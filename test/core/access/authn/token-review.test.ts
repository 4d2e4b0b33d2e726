/** Order of the token authenticators, and the result of a TokenReview. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { AuthenticationError, type TokenAuthenticator } from '../../../../core/access/authn/authenticator.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

interface Status {
  readonly authenticated?: boolean
  readonly error?: string
  readonly audiences?: readonly string[]
  readonly user: { readonly username?: string; readonly groups?: readonly string[] }
}

function known(name: string, tokens: readonly string[]): TokenAuthenticator {
  return {
    name,
    authenticateToken(token, audiences) {
      if (token === 'bad') throw new AuthenticationError(`${name} does not like it`)
      return tokens.includes(token) ? { user: { name: `${name}-user`, groups: [] }, ...(audiences && { audiences }) } : undefined
    },
  }
}

async function server(t: TestContext) {
  const { api } = await startInProcess(
    {
      controllers: [],
      telemetry: { logger: silentLogger },
      platform: createPlatform('kubernetes'),
      serviceAccounts: { signingKey: pem, verificationKeys: [pem], issuers: ['https://own'], audiences: ['https://own', 'https://also'] },
      bootstrapTokens: true,
      staticTokens: [known('static', ['both', 'abcdef.0123456789abcdef'])],
      tokenAuthenticators: [known('late', ['both', 'late'])],
    },
    t,
  )
  const review = async (token: string, audiences?: readonly string[]) => {
    const spec = { token, ...(audiences && { audiences }) }
    const object = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec }
    return (await api.send<{ status: Status }>('POST', '/apis/authentication.k8s.io/v1/tokenreviews', object)).body.status
  }
  return { api, review }
}

test('the first authenticator that accepts a token wins', async (t) => {
  const { api, review } = await server(t)
  await api.create('/api/v1/namespaces/kube-system/secrets', {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
  })
  assert.equal((await review('both')).user.username, 'static-user')
  assert.equal((await review('abcdef.0123456789abcdef')).user.username, 'static-user')
  assert.equal((await review('late')).user.username, 'late-user')
})

test('audiences', async (t) => {
  const { review } = await server(t)
  assert.deepEqual(await review('both'), {
    authenticated: true,
    user: { username: 'static-user', groups: ['system:authenticated'] },
    audiences: ['https://own', 'https://also'],
  })
  assert.deepEqual((await review('both', ['https://else', 'https://also'])).audiences, ['https://also'])
  assert.equal(
    (await review('both', ['https://else'])).user.username,
    'late-user',
    'static tokens are only valid for the audience of this server',
  )
})

test('reports why a token is refused', async (t) => {
  const { review } = await server(t)
  assert.deepEqual(await review('nobody'), { user: {}, error: 'invalid bearer token' })
  assert.equal((await review('bad')).error, '[invalid bearer token, static does not like it, late does not like it]')
})
