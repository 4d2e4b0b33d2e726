import { algorithmId, signatureAlgorithms } from '../../../schema/formats/signature.ts'
import type { Certificate } from './certificate.ts'

/** Whether the key of `parent` signed `child`. False for unsupported keys and algorithms. */
export async function isSignedBy(child: Certificate, parent: Certificate): Promise<boolean> {
  try {
    return (await signatureAlgorithms[algorithmId(child.signatureAlgorithm)]?.verify(parent.publicKey, child)) ?? false
  } catch {
    return false
  }
}
