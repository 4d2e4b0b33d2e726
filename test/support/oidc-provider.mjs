/**
 * An OpenID provider (npm's oidc-provider) behind TLS, in a separate process. Messages control it, and each is answered:
 * `listen` (again, on the same port, after `down`), `down`, `rotate` (a new signing key; the old one stays published),
 * `withdraw` (removes the old key), `claims` (claims of the user), `count` (JWKS requests so far).
 */
import { once } from 'node:events'
import { createServer } from 'node:https'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

const client = {
  client_id: 'kubectl',
  redirect_uris: ['https://client.example/back'],
  response_types: ['id_token'],
  grant_types: ['implicit'],
}

let options
let server
let provider
let claims = {}
let keys = []
let keyCalls = 0
let port = 0

async function newKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: `key-${Date.now()}-${Math.random()}`, alg: 'RS256', use: 'sig' }
}

function createProvider() {
  const created = new Provider(`https://127.0.0.1:${port}`, {
    clients: [{ ...client, token_endpoint_auth_method: 'none' }],
    responseTypes: ['id_token'],
    cookies: { keys: ['a secret of the test'] },
    jwks: { keys },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'groups', 'email', 'email_verified', 'department'] },
    ttl: { IdToken: 3600 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...claims }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    features: { devInteractions: { enabled: false } },
  })
  // Stands for login and consent of a user.
  const handle = created.callback()
  return async (request, response) => {
    if (request.url.startsWith('/jwks')) keyCalls++
    if (!request.url.startsWith('/interaction/')) return handle(request, response)
    const { prompt, params, session } = await created.interactionDetails(request, response)
    if (prompt.name === 'login') return created.interactionFinished(request, response, { login: { accountId: params.login_hint } })
    const grant = new created.Grant({ accountId: session.accountId, clientId: params.client_id })
    grant.addOIDCScope('openid')
    return created.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
}

const actions = {
  async listen(given) {
    options = given ?? options
    if (keys.length === 0) keys = [await newKey()]
    server = createServer(options, (request, response) => {
      provider(request, response).catch((error) => {
        response.statusCode = 500
        response.end(String(error))
      })
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = server.address().port
    provider = createProvider()
    return port
  },
  async down() {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  },
  async rotate() {
    keys = [await newKey(), ...keys]
    provider = createProvider()
  },
  withdraw() {
    keys = keys.slice(0, 1)
    provider = createProvider()
  },
  claims(given) {
    claims = given
  },
  count: () => keyCalls,
}

process.on('message', async ({ action, argument }) => {
  try {
    process.send({ value: await actions[action](argument) })
  } catch (error) {
    process.send({ error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
