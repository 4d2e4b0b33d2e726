import { sameBytes } from '../../../schema/bytes.ts'
import type { Certificate } from './certificate.ts'
import { constrainedName } from './name-constraints.ts'
import { isSignedBy } from './signed-by.ts'

/** Maximum signature checks per chain, however many certificates a client sends. */
const maxSignatureChecks = 100

const anyPurpose = '2.5.29.37.0'
const clientAuthentication = '1.3.6.1.5.5.7.3.2'

/** A verified chain is valid until its first certificate expires (`until`, milliseconds since the epoch). */
export type Verification = { readonly ok: true; readonly until: number } | { readonly ok: false; readonly problem: string }

/**
 * Verifies a client certificate (the part of RFC 5280 6 that concerns clients): builds a chain of signatures through the
 * intermediates to one of the roots, and checks validity, basic constraints, name constraints, key usage and extended key usage of each
 * certificate.
 * A root may itself be the leaf. `now` is in milliseconds since the epoch.
 */
export async function verifyChain(
  leaf: Certificate,
  intermediates: readonly Certificate[],
  roots: readonly Certificate[],
  now: number,
): Promise<Verification> {
  let checks = 0
  let problem = 'certificate signed by unknown authority'
  const fail = (reason: string) => {
    problem = reason
    return undefined
  }

  /** End of validity of a valid chain from this certificate to a root; undefined without one. `below` lists the certificates under it. */
  const climb = async (certificate: Certificate, below: readonly Certificate[]): Promise<number | undefined> => {
    const isRoot = roots.some((root) => sameBytes(root.raw, certificate.raw))
    const defect = defectOf(certificate, below.length, isRoot, now) ?? constrained(certificate, below)
    if (defect !== undefined) return fail(defect)
    if (isRoot) return certificate.notAfter
    const path = [...below, certificate]
    for (const parent of [...roots, ...intermediates]) {
      if (!sameBytes(parent.subject, certificate.issuer) || path.some((each) => sameBytes(each.raw, parent.raw))) continue
      if (++checks > maxSignatureChecks) return fail('too many certificates to check')
      if (!(await isSignedBy(certificate, parent))) continue
      const until = await climb(parent, path)
      if (until !== undefined) return Math.min(until, certificate.notAfter)
    }
    return undefined
  }

  const until = await climb(leaf, [])
  return until === undefined ? { ok: false, problem } : { ok: true, until }
}

/** Why the name constraints of a certificate bar one of those below; undefined: they don't. */
function constrained({ extensions: { constraints } }: Certificate, below: readonly Certificate[]): string | undefined {
  if (constraints === undefined) return undefined
  for (const { extensions } of below) {
    const problem = constrainedName(constraints, extensions.names ?? [])
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Why a certificate is not valid at this depth of a chain. `depth` 0 is the leaf. */
function defectOf(certificate: Certificate, depth: number, isRoot: boolean, now: number): string | undefined {
  const { version, notBefore, notAfter, extensions } = certificate
  if (now < notBefore) return 'certificate is not yet valid'
  if (now > notAfter) return 'certificate has expired'
  const { authority, pathLength, signsCertificates, purposes, unknownCritical } = extensions
  if (unknownCritical.length > 0) return `unhandled critical extension ${unknownCritical.join(', ')}`
  if (purposes !== undefined && !purposes.includes(anyPurpose) && !purposes.includes(clientAuthentication)) {
    return 'certificate specifies an incompatible key usage'
  }
  if (depth === 0) return undefined
  // X.509 version 1 has no basic constraints: the operator vouches for such a root by configuring it.
  const mayIssue = authority ?? (isRoot && version < 3)
  if (!mayIssue || signsCertificates === false) return 'certificate is not authorized to sign other certificates'
  return pathLength !== undefined && depth - 1 > pathLength ? 'too many intermediates for path length constraint' : undefined
}
