/** Links in responses of backends, changed to lead through this server (apimachinery/pkg/util/proxy/transport.go). */
import { cleanPath, escapePath } from './paths.ts'

export interface Links {
  /** The link to send to the client. It differs only for links to the backend with an absolute path. */
  rewrite(link: string): string
  /** Path of this server for an escaped path of the backend. */
  below(path: string): string
}

export type RewriteLink = Links['rewrite']

/** Scheme, authority, path, and the rest of a URL reference (RFC 3986, appendix B). */
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s

/**
 * `prefix`: decoded path of this server that stands for the backend's root. `backend`: the backend's host with its port. `requested`: the host
 * that the client asked, which the backend saw.
 */
export function createLinks(prefix: string, backend: string, requested: string): Links {
  const escaped = escapePath(cleanPath(prefix)).replace(/\/$/, '')
  const below = (path: string) => cleanPath(`${escaped}/${path}`)
  return {
    below,
    rewrite(link) {
      const [, scheme, host = '', path = '', rest = ''] = parts.exec(link) ?? []
      const leadsElsewhere = host !== '' && host !== backend && host !== requested
      if (leadsElsewhere || !path.startsWith('/')) return link
      const front = host !== '' && host === requested ? `${scheme === undefined ? '' : `${scheme}:`}//${host}` : ''
      return `${front}${path.startsWith(escaped) ? path : below(path)}${rest}`
    },
  }
}

/**
 * Links of a backend that has the same paths as this server: those with an absolute path lead to the backend itself. `backend`: its host with
 * its port.
 */
export const directLinks =
  (backend: string): RewriteLink =>
  (link) => {
    const [, , host = '', path = '', rest = ''] = parts.exec(link) ?? []
    return (host !== '' && host !== backend) || !path.startsWith('/') ? link : `https://${backend}${path}${rest}`
  }
