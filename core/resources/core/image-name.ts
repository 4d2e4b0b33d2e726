const domain =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?'
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const reference = new RegExp(
  `^(?<name>(?:${domain}/)?${component}(?:/${component})*)(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
)
const maxLength = 4096
/** Maximum characters of a name with its registry. */
const maxNameLength = 255
const defaultRegistry = 'docker.io/'
const defaultFolder = 'library/'

/** The length of a name with the registry and the folder that names without them belong to. */
function fullLength(name: string): number {
  const slash = name.indexOf('/')
  const first = name.slice(0, Math.max(slash, 0))
  const hasRegistry = /[.:A-Z]/.test(first) || first === 'localhost'
  return name.length + (hasRegistry ? 0 : defaultRegistry.length + (slash < 0 ? defaultFolder.length : 0))
}

/** The tag of an image reference (distribution/reference): `latest` without tag and digest, empty when malformed. */
function tagOf(image: string): string {
  const groups = image.length > maxLength ? undefined : reference.exec(image)?.groups
  if (groups === undefined || /^[a-f0-9]{64}$/.test(image) || fullLength(groups['name'] ?? '') > maxNameLength) return ''
  return groups['tag'] ?? (groups['digest'] === undefined ? 'latest' : '')
}

/** Default pull policy: `Always` for the tag `latest`, which may move. */
export const pullPolicyFor = (image = '') => (tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent')
