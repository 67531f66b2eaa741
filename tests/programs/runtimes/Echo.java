// Answers lines; with a word, copies a file as a move would, or takes more than it may.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

public class Echo {
    static void sleep() {
        try {
            Thread.sleep(60000);
        } catch (InterruptedException e) {
        }
    }

    public static void main(String[] words) throws Exception {
        if (words.length == 0) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
            String line;
            while ((line = lines.readLine()) != null) System.out.println("ok " + line);
        } else if (words[0].equals("copy")) {
            Files.write(Paths.get(words[2]), ("ok " + new String(Files.readAllBytes(Paths.get(words[1])))).getBytes());
        } else if (words[0].equals("loop")) {
            while (true) {
            }
        } else if (words[0].equals("memory")) {
            List<byte[]> kept = new ArrayList<>();
            while (true) kept.add(new byte[1 << 20]);
        } else if (words[0].equals("threads")) {
            while (true) {
                Thread thread = new Thread(Echo::sleep);
                thread.setDaemon(true);
                thread.start();
            }
        }
    }
}
