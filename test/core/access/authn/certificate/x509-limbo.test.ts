/**
 * Path validation of client certificates, on cases that were published by others: x509-limbo.jsonl says whose they are. They are about servers;
 * here the purpose of a server stands for that of a client.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Certificate, parseCertificate } from '../../../../../core/access/authn/certificate/certificate.ts'
import { verifyChain } from '../../../../../core/access/authn/certificate/certificate-chain.ts'
import { rootUrl } from '../../../../support/root.ts'

interface Case {
  readonly id: string
  readonly valid: boolean
  /** Default: the date of publication. */
  readonly time?: string
  /** Places among the certificates. */
  readonly roots: readonly number[]
  readonly intermediates: readonly number[]
  readonly leaf: number
}

const lines = readFileSync(new URL('test/core/access/authn/certificate/x509-limbo.jsonl', rootUrl), 'utf8').trim().split('\n')
const rows = lines.map((line) => JSON.parse(line) as { readonly certificate?: string } | Case)
const certificates = rows.flatMap((row) => ('certificate' in row && row.certificate !== undefined ? [row.certificate] : []))
const cases = rows.filter((row): row is Case => 'id' in row)
const published = Date.parse('2023-12-01T00:00:00Z')

const [serverAuthentication, clientAuthentication] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']

function certificateAt(place: number): Certificate {
  const certificate = parseCertificate(Uint8Array.from(Buffer.from(certificates[place] ?? '', 'base64')))
  const swapped: { readonly [purpose: string]: string } = {
    [serverAuthentication]: clientAuthentication,
    [clientAuthentication]: serverAuthentication,
  }
  const purposes = certificate.extensions.purposes?.map((each) => swapped[each] ?? each)
  return { ...certificate, extensions: { ...certificate.extensions, ...(purposes && { purposes }) } }
}

/** Why a chain is refused; undefined: it is accepted. */
async function problemOf({ roots, intermediates, leaf, time }: Case): Promise<string | undefined> {
  try {
    const [peer, between, trusted] = [certificateAt(leaf), intermediates.map(certificateAt), roots.map(certificateAt)]
    const found = await verifyChain(peer, between, trusted, time === undefined ? published : Date.parse(time))
    return found.ok ? undefined : found.problem
  } catch (error) {
    return (error as Error).message
  }
}

const refused = 'unhandled critical extension 2.5.29.30'
/** Cases that end otherwise, each with what we say. */
const differences: { readonly [reason: string]: { readonly [id: string]: string } } = {
  'Self-issued intermediates count for the length of a path, as in crypto/x509 of Go': {
    'pathlen::self-issued-certs-pathlen': 'too many intermediates for path length constraint',
  },
  'Constraints of directory names are not evaluated, as in crypto/x509 of Go: authorities with critical ones are refused': {
    'rfc5280::nc::permitted-dn-match': refused,
  },
  'Name constraints hold for self-issued intermediates too, as in crypto/x509 of Go': {
    'rfc5280::nc::permitted-self-issued':
      'a root or intermediate certificate is not authorized to sign for this name: DNS name "not-example.com" is not permitted by any constraint',
  },
  'Name constraints of a certificate that is no authority have no effect, as in crypto/x509 of Go': {
    'rfc5280::nc::not-allowed-in-ee-noncritical': 'accepted',
    'rfc5280::nc::not-allowed-in-ee-critical': 'accepted',
  },
  'Rules for those who issue certificates (RFC 5280 4), without effect on who signed what: the operator chose the authority': {
    'rfc5280::aki::critical-aki': 'accepted',
    'rfc5280::nc::permitted-dns-match-noncritical': 'accepted',
    'rfc5280::aki::leaf-missing-aki': 'accepted',
    'rfc5280::aki::intermediate-missing-aki': 'accepted',
    'rfc5280::aki::cross-signed-root-missing-aki': 'accepted',
    'rfc5280::serial::too-long': 'accepted',
    'rfc5280::serial::zero': 'accepted',
    'rfc5280::ski::critical-ski': 'accepted',
    'rfc5280::ski::root-missing-ski': 'accepted',
    'rfc5280::ski::intermediate-missing-ski': 'accepted',
    'rfc5280::ee-empty-issuer': 'accepted',
    'rfc5280::ca-empty-subject': 'accepted',
    'rfc5280::root-non-critical-basic-constraints': 'accepted',
    'rfc5280::leaf-ku-keycertsign': 'accepted',
  },
  'Rules of the CA/Browser Forum for servers on the Web': {
    'webpki::aki::root-with-aki-missing-keyidentifier': 'accepted',
    'webpki::aki::root-with-aki-authoritycertissuer': 'accepted',
    'webpki::aki::root-with-aki-authoritycertserialnumber': 'accepted',
    'webpki::aki::root-with-aki-all-fields': 'accepted',
    'webpki::aki::root-with-aki-ski-mismatch': 'accepted',
    'webpki::eku::ee-anyeku': 'accepted',
    'webpki::eku::ee-critical-eku': 'accepted',
    'webpki::eku::ee-without-eku': 'accepted',
    'webpki::eku::root-has-eku': 'accepted',
    'webpki::malformed-aia': 'accepted',
    'webpki::forbidden-p192-spki-leaf': 'accepted',
    'webpki::forbidden-dsa-spki-leaf': 'accepted',
    'webpki::forbidden-signature-algorithm-in-leaf': 'accepted',
    'webpki::v1-cert': 'accepted',
    'webpki::ee-basicconstraints-ca': 'accepted',
  },
}

test(`${cases.length} published cases of path validation`, async () => {
  const found: [id: string, outcome: string][] = []
  for (const each of cases) {
    const problem = await problemOf(each)
    if ((problem === undefined) !== each.valid) found.push([each.id, problem ?? 'accepted'])
  }
  assert.deepEqual(Object.fromEntries(found), Object.assign({}, ...Object.values(differences)))
})
