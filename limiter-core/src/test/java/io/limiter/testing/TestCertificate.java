package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate for {@code 127.0.0.1} that signs itself, and its key, as files in a folder that is deleted when closed. */
public final class TestCertificate implements AutoCloseable {

    private static final char[] PASSWORD = "password".toCharArray();

    private final Path folder;
    private final KeyStore keys;

    private TestCertificate(Path folder, KeyStore keys) {
        this.folder = folder;
        this.keys = keys;
    }

    public static TestCertificate create() throws IOException, GeneralSecurityException, InterruptedException {
        Path folder = Files.createTempDirectory("limiter-test-certificate");
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "redis",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(output);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD);
        }
        TestCertificate created = new TestCertificate(folder, keys);
        created.pem(created.file(), "CERTIFICATE", keys.getCertificate("redis").getEncoded());
        created.pem(
                created.keyFile(), "PRIVATE KEY", keys.getKey("redis", PASSWORD).getEncoded());
        return created;
    }

    private void pem(Path file, String what, byte[] content) throws IOException {
        Files.write(
                file,
                List.of(
                        "-----BEGIN " + what + "-----",
                        Base64.getMimeEncoder().encodeToString(content),
                        "-----END " + what + "-----"));
    }

    /** The certificate, in PEM: what a client has to trust. */
    public Path file() {
        return folder.resolve("certificate.pem");
    }

    private Path keyFile() {
        return folder.resolve("key.pem");
    }

    /** The certificate as what a client has to trust. */
    public KeyStore trusted() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("redis", keys.getCertificate("redis"));
        return trusted;
    }

    /** Settings of a Redis that has this certificate and listens with TLS. */
    public String[] redisSettings() {
        return new String[] {
            "--tls-cert-file", file().toString(),
            "--tls-key-file", keyFile().toString(),
            "--tls-ca-cert-file", file().toString(),
            "--tls-auth-clients", "no"
        };
    }

    @Override
    public void close() {
        try {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
