/** The part of X.509 (RFC 5280) that validation of certificates and requests needs. */
import { childrenOf, type Der, oidOf, readDer, tags } from '../../schema/formats/der.ts'

/** Constructed context tag 3: extensions of a certificate. */
const extensionsTag = 0xa3
const basicConstraints = '2.5.29.19'

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The parts of a signed structure's content (content, algorithm, signature); undefined for other bytes. */
export function signedParts(bytes: Uint8Array): readonly Der[] | undefined {
  return attempt(() => {
    const [content, algorithm, signature, ...more] = childrenOf(readDer(bytes))
    if (content === undefined || algorithm?.tag !== tags.sequence || signature?.tag !== tags.bitString || more.length > 0) return undefined
    return childrenOf(content)
  })
}

/** Whether a certificate is a CA certificate; undefined for other bytes. */
export function isAuthority(bytes: Uint8Array): boolean | undefined {
  const parts = signedParts(bytes)
  if (parts === undefined || parts.length < 6) return undefined
  return attempt(() => parts.some((part) => part.tag === extensionsTag && extensionsOf(part).some(saysAuthority))) ?? false
}

const extensionsOf = (holder: Der) => childrenOf(holder, extensionsTag).flatMap((list) => childrenOf(list))

function saysAuthority(extension: Der): boolean {
  const [id, ...rest] = childrenOf(extension)
  if (id === undefined || oidOf(id) !== basicConstraints) return false
  const value = rest.at(-1)
  const [authority] = value?.tag === tags.octetString ? childrenOf(readDer(value.content)) : []
  return authority?.tag === tags.boolean && authority.content[0] !== 0
}
