// A control plane for each test, with JUnit 4: `apiserver hosts` runs, and HOSTS_URL is its URL. The kubeconfig is for any Java client.
//
//     @Rule public HostsRule server = new HostsRule();
//
// Needs Java 11 and junit4.jar on the class path. OpenJDK trusts the authority when it is in the trust store that this rule makes.
import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.rules.ExternalResource;

public class HostsRule extends ExternalResource {
  private static final String URL = setting("HOSTS_URL", "https://127.0.0.1:6443") + "/hosts/v1/servers";
  private static final Path FILES = Path.of(setting("HOSTS_FILES", ".apiserver/hosts"));

  private final String name = "java-" + UUID.randomUUID();
  private String kubeconfig;

  /** The kubeconfig of the test's server, in JSON, which is YAML, too. */
  public String kubeconfig() {
    return kubeconfig;
  }

  @Override
  protected void before() throws Exception {
    ask("POST", "", "{\"name\": \"" + name + "\", \"ttlSeconds\": 3600}");
    kubeconfig = ask("GET", "/" + name + "/kubeconfig", "");
  }

  @Override
  protected void after() {
    try {
      ask("DELETE", "/" + name, "");
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  private static String ask(String method, String path, String body) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (FileInputStream authority = new FileInputStream(FILES.resolve("ca.crt").toFile())) {
      store.setCertificateEntry("hosts", CertificateFactory.getInstance("X.509").generateCertificate(authority));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    var request = HttpRequest.newBuilder(URI.create(URL + path))
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + Files.readString(FILES.resolve("token")).trim())
        .header("Content-Type", "application/json")
        .build();
    var response = HttpClient.newBuilder().sslContext(context).build().send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 300) throw new IllegalStateException(method + " " + path + ": " + response.body());
    return response.body();
  }
}
